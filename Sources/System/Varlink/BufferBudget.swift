import EventLoop

/// Memory that all connections of a server may hold together, beyond what each needs for small messages that
/// are read without delay.
///
/// When the budget is exceeded, the connection that has held some of it for the longest time is closed: a
/// message on its way is complete after a few turns of the loop, and a peer that reads is never behind for
/// long.
@EventLoop
final class BufferBudget {
    private struct Holding {
        weak var stream: MessageStream?
        let identifier: ObjectIdentifier
        var bytes: Int
    }

    private let limit: Int
    private var total = 0
    /// Longest held first.
    private var holdings: [Holding] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// Sets how much `stream` holds now.
    func set(_ bytes: Int, of stream: MessageStream) {
        // The usual case.
        if bytes == 0, holdings.isEmpty { return }
        let identifier = ObjectIdentifier(stream)
        if let index = holdings.firstIndex(where: { $0.identifier == identifier }) {
            total += bytes - holdings[index].bytes
            holdings[index].bytes = bytes
            if bytes == 0 { holdings.remove(at: index) }
        } else if bytes > 0 {
            total += bytes
            holdings.append(Holding(stream: stream, identifier: identifier, bytes: bytes))
        }
        while total > limit, let first = holdings.first {
            holdings.removeFirst()
            total -= first.bytes
            first.stream?.giveUp("more than was left of the \(limit) bytes that all peers share")
        }
    }
}
