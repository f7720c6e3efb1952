package import EventLoop

/// Changes of what the server has that are to be awaited.
@EventLoop
package final class PendingChanges {
    private let server: AudioServer
    private var count = 0
    private var waiting: [@EventLoop () -> Void] = []
    private lazy var limit = TimerSource { [weak self] in self?.report() }

    package init(on server: AudioServer) {
        self.server = server
    }

    /// `action` completes "could not …"; `failed` is called at most once, possibly during this call.
    package func order(
        _ action: String,
        _ change: DeviceChange,
        failed: @escaping @EventLoop (AudioError) -> Void
    ) {
        count += 1
        server.change(action, change) { [weak self] result in
            guard let self else { return }
            count -= 1
            if case .failure(let error) = result { failed(error) }
            if count == 0 { report() }
        }
    }

    /// Calls `completion` once the server has confirmed or refused every change, at once if none is pending,
    /// and in any case within `time`.
    package func whenDone(within time: Duration? = nil, _ completion: @escaping @EventLoop () -> Void) {
        waiting.append(completion)
        if count == 0 { return report() }
        if let time { limit.arm(after: time) }
    }

    private func report() {
        limit.disarm()
        let handlers = waiting
        waiting = []
        for handler in handlers { handler() }
    }
}
