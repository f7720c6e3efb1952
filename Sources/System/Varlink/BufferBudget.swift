import EventLoop

/// Memory that the connections of one server may hold together beyond what each of them needs for small messages that
/// are read at once.
///
/// When there is too little, whoever has held some for the longest time loses its connection: a message that is on its
/// way is whole within some turns of the loop, and a peer that reads is not behind for long.
@EventLoop
final class BufferBudget {
    private struct Holding {
        weak var stream: MessageStream?
        let identifier: ObjectIdentifier
        var bytes: Int
    }

    private let limit: Int
    private var total = 0
    /// The first has held something for the longest time.
    private var holdings: [Holding] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// Says how much `stream` holds now.
    func set(_ bytes: Int, of stream: MessageStream) {
        // Nearly always there is nothing to remember.
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
            first.stream?.giveUp("more than was left of the \(limit) bytes that all peers may keep waiting")
        }
    }
}
