import EventLoop

// The feed is muted while nothing is to be heard.
extension VirtualSource {
    func mute(_ sink: UInt32) {
        mutes.order("mute the feed", .muteSink(sink, true)) { [weak self] in self?.remarked("\($0)") }
    }

    /// Calls `completion` once the server has confirmed that the source is silent, or has failed to; at once
    /// if it is.
    package func whenSilent(_ completion: @escaping @EventLoop () -> Void) {
        silence()
        mutes.whenDone(completion)
    }
}
