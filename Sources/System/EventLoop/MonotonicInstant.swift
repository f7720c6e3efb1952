internal import Glibc

/// A point on `CLOCK_MONOTONIC`, the clock of the loop's timers.
public struct MonotonicInstant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the clock's start, which is the boot of the machine.
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static var now: MonotonicInstant {
        var time = timespec()
        // Cannot fail: the clock exists and the pointer is valid (clock_gettime(2)).
        _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Rounded up, so that a timer never fires early.
    var microseconds: UInt64 {
        UInt64(max(0, nanoseconds) + 999) / 1000
    }

    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    public static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: instant.nanoseconds + duration.nanoseconds)
    }

    public static func - (left: MonotonicInstant, right: MonotonicInstant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// The whole duration in nanoseconds; good for about 292 years.
    public var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
