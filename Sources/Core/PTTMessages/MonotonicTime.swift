/// A point on the machine's monotonic clock, which neither jumps nor counts suspended time.
public struct MonotonicTime: Comparable, Hashable, Sendable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Whole microseconds, the unit on the sockets: below 2^53 for 285 years, so that every JSON reader keeps it exact.
    public var microseconds: Int { Int(nanoseconds / 1000) }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        return MonotonicTime(
            nanoseconds: time.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        )
    }

    public static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}
