/// The limits of what a peer may send, and leave unread.
package struct VarlinkLimits: Sendable {
    /// Bytes of one message without its NUL byte.
    package var messageSize = 1 << 20
    /// The depth to which arrays and objects may be nested.
    package var depth = 32
    /// Simultaneous connections of one server. One more closes that of a process which has more than its
    /// share, or one that has made no call; if there is none such, it is closed itself.
    package var connections = 64
    /// Connections of a process that no other takes from it.
    package var share = 4
    /// JSON values in one message.
    package var values = 10_000
    /// Messages of one connection in one turn of the loop, or in turns that follow each other closely.
    package var messagesPerTurn = 16
    /// Bytes that all connections of a server may hold in memory together: incomplete messages, calls behind
    /// a slow one, replies that are not read. Each connection has another 12 KiB of its own.
    package var sharedBytes = 4 << 20
    /// Messages, and bytes, that a peer may leave unread.
    package var backlogMessages = 256
    package var backlogBytes = 4 << 20
    /// Time for a peer to complete a message that has begun, and to read the output before a close.
    package var stallTime = Duration.seconds(10)

    package init() {}
}
