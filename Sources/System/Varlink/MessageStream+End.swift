import EventLoop

extension MessageStream {
    /// The way in which a stream ended.
    enum End: Equatable {
        /// The peer has closed its side.
        case closedByPeer
        /// This side has closed, after its output was sent.
        case closedHere
        case failed(SystemError)
    }
}
