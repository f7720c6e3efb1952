/// The stream of one direction that is open, by its number, and what it is connected to.
///
/// A stream whose number is smaller than that of the open one has been replaced, and is closed: an order
/// about it must not touch its successor, whose own closing is yet to come. Every other closing closes the
/// device, also one that comes twice or names a stream that was never opened, so that no mistake about
/// numbers leaves a microphone open.
struct StreamSlot<ID: RawRepresentable<Int>, Peer> {
    private var open: ID?
    private(set) var peer: Peer?

    mutating func open(_ stream: ID, peer: Peer? = nil) {
        open = stream
        self.peer = peer
    }

    /// - Returns: True if the device is to be closed.
    mutating func close(_ stream: ID) -> Bool {
        guard !isReplaced(stream) else { return false }
        open = nil
        peer = nil
        return true
    }

    /// Does nothing unless the stream is open.
    mutating func connect(_ stream: ID, to peer: Peer) {
        guard open?.rawValue == stream.rawValue else { return }
        self.peer = peer
    }

    mutating func disconnect(_ stream: ID) {
        guard !isReplaced(stream) else { return }
        peer = nil
    }

    func isOpen(_ stream: ID) -> Bool { open?.rawValue == stream.rawValue }

    private func isReplaced(_ stream: ID) -> Bool {
        open.map { $0.rawValue > stream.rawValue } ?? false
    }
}
