package import EventLoop
package import PTTMessages

// The same clock in two rings: Core has points in time as values, System reads the clock and sets timers.

extension MonotonicTime {
    package static var now: MonotonicTime { MonotonicTime(.now) }

    package init(_ instant: MonotonicInstant) {
        self.init(nanoseconds: instant.nanoseconds)
    }
}

extension MonotonicInstant {
    package init(_ time: MonotonicTime) {
        self.init(nanoseconds: time.nanoseconds)
    }
}
