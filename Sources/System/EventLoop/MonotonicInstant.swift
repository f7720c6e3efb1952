import Glibc

/// A point on `CLOCK_MONOTONIC`, the clock of the loop's timers.
package struct MonotonicInstant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the machine was booted.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static var now: MonotonicInstant {
        var time = timespec()
        // Cannot fail: the clock exists and the pointer is valid (clock_gettime(2)).
        _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Rounded up, so that a timer never fires early.
    var microseconds: UInt64 {
        UInt64(max(0, nanoseconds) + 999) / 1000
    }

    package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: instant.nanoseconds + duration.nanoseconds)
    }

    package static func - (left: MonotonicInstant, right: MonotonicInstant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds. Overflows at about 292 years.
    package var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
