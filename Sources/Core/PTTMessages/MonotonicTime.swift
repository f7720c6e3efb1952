/// A point on the machine's monotonic clock, which does not jump and stops while the machine is suspended.
package struct MonotonicTime: Comparable, Hashable, Sendable, CustomStringConvertible {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Whole microseconds, the unit on the sockets: below 2^53 for 285 years, so that every JSON reader keeps
    /// it exact.
    package var microseconds: Int { Int(nanoseconds / 1000) }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        return MonotonicTime(
            nanoseconds: time.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        )
    }

    package static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }

    /// Seconds with all decimals that are not trailing zeros: `61.5s`.
    package var description: String {
        let (seconds, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let sign = nanoseconds < 0 ? "-" : ""
        guard fraction > 0 else { return "\(sign)\(seconds)s" }
        var digits = String(fraction)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(sign)\(seconds).\(digits)s"
    }
}
