/// What one peer may ask of this process.
package struct VarlinkLimits: Sendable {
    /// Bytes of one message without its NUL byte.
    package var messageSize = 1 << 20
    /// How many arrays and objects may be inside one another.
    package var depth = 32
    /// Connections of one server at the same time; further ones are closed at once.
    package var connections = 64
    /// JSON values in one message.
    package var values = 10_000
    /// Messages of one connection in a turn of the loop, and one behind the other.
    package var messagesPerTurn = 16
    /// Bytes that all connections of a server together may keep in memory: messages whose end has not come, calls
    /// behind one that takes its time, answers that are not read. Each has 12 KiB of its own besides.
    package var sharedBytes = 4 << 20
    /// Messages, and bytes, that a peer may be behind in reading.
    package var backlogMessages = 256
    package var backlogBytes = 4 << 20
    /// Time to complete a message that has begun, and to take what is to be sent before a close.
    package var stallTime = Duration.seconds(10)

    package init() {}
}
