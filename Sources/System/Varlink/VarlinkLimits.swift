/// What one peer may ask of this process.
public struct VarlinkLimits: Sendable {
    /// Bytes of one message without its NUL byte.
    public var messageSize = 1 << 20
    /// How many arrays and objects may be inside one another.
    public var depth = 32
    /// Connections of one server at the same time; further ones are closed at once.
    public var connections = 64
    /// JSON values in one message.
    public var values = 10_000
    /// Messages of one connection in a turn of the loop, and one behind the other.
    public var messagesPerTurn = 16
    /// Bytes that all connections of a server together may keep in memory: messages whose end has not come, calls
    /// behind one that takes its time, answers that are not read. Each has 12 KiB of its own besides.
    public var sharedBytes = 4 << 20
    /// Messages, and bytes, that a peer may be behind in reading.
    public var backlogMessages = 256
    public var backlogBytes = 4 << 20
    /// Time to complete a message that has begun, and to take what is to be sent before a close.
    public var stallTime = Duration.seconds(10)

    public init() {}
}
