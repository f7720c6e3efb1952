package import EventLoop

/// A key went down or up.
package struct KeyEvent: Equatable, Sendable {
    package enum Edge: Sendable {
        case pressed, released
    }

    package var key: KeyCode
    package var edge: Edge
    /// When the kernel received it; for a resynchronised one, when it was found out.
    package var time: MonotonicInstant
    /// Events were lost, and this is the difference to what was last known. A press like this was not seen
    /// happening: the key may have been down for long.
    package var isResynchronised: Bool

    package init(key: KeyCode, edge: Edge, time: MonotonicInstant, isResynchronised: Bool = false) {
        self.key = key
        self.edge = edge
        self.time = time
        self.isResynchronised = isResynchronised
    }
}
