package import EventLoop

/// A key went down or up.
package struct KeyEvent: Equatable, Sendable {
    package enum Edge: Sendable {
        case pressed, released
    }

    package var key: KeyCode
    package var edge: Edge
    /// The time at which the kernel received it; for a resynchronised one, at which it was detected.
    package var time: MonotonicInstant
    /// True if events were lost, and this is a difference from the last known state. Such a press was not
    /// observed as it happened: the key may have been down for a long time.
    package var isResynchronised = false
}
