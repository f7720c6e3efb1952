import EventLoop

// The feed is muted while nothing is to be heard.
extension VirtualSource {
    func mute(_ sink: UInt32) {
        pendingMutes += 1
        server.change("mute the feed", .muteSink(sink, true)) { [weak self] result in
            guard let self else { return }
            pendingMutes -= 1
            if case .failure(let error) = result { remarked("\(error)") }
            if pendingMutes == 0 { reportSilence() }
        }
    }

    /// Calls `completion` once the server has confirmed that the source is silent, or has failed to; at once
    /// if it is.
    package func whenSilent(_ completion: @escaping @EventLoop () -> Void) {
        silence()
        silent.append(completion)
        if pendingMutes == 0 { reportSilence() }
    }

    private func reportSilence() {
        let handlers = silent
        silent = []
        for handler in handlers { handler() }
    }
}
