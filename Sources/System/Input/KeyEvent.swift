public import EventLoop

/// A key went down or up.
public struct KeyEvent: Equatable, Sendable {
    public enum Edge: Sendable {
        case pressed, released
    }

    public var key: KeyCode
    public var edge: Edge
    /// When the kernel received it; for a resynchronised one, when it was found out.
    public var time: MonotonicInstant
    /// Events were lost, and this is the difference to what was last known. A press like this was not seen
    /// happening: the key may have been down for long.
    public var isResynchronised: Bool

    public init(key: KeyCode, edge: Edge, time: MonotonicInstant, isResynchronised: Bool = false) {
        self.key = key
        self.edge = edge
        self.time = time
        self.isResynchronised = isResynchronised
    }
}
