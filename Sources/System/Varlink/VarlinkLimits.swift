/// What one peer may ask of this process.
public struct VarlinkLimits: Sendable {
    /// Bytes of one message without its NUL byte.
    public var messageSize = 1 << 20
    /// How many arrays and objects may be inside one another.
    public var depth = 32
    /// Connections of one server at the same time; further ones are closed at once.
    public var connections = 64
    /// Calls of one connection that wait for the one being answered. While so many wait, nothing is read.
    public var waitingCalls = 16
    /// Messages, and bytes, that a peer may be behind in reading.
    public var backlogMessages = 256
    public var backlogBytes = 4 << 20
    /// Time to complete a message that has begun, and to take what is to be sent before a close.
    public var stallTime = Duration.seconds(10)

    public init() {}
}
