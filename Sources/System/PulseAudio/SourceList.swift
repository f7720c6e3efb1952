import EventLoop

/// Lists the sources for all who ask: one list is under way at most, and the next one answers all who have asked meanwhile.
///
/// A microphone can be asked for in a loop, and closed before the server has answered: a list for each would pile up.
@EventLoop
final class SourceList {
    typealias Completion = @EventLoop (Result<AudioDevices, AudioError>) -> Void

    private let send: @EventLoop (DeviceQuery) -> Void
    private var asked: [Completion] = []
    private var isUnderWay = false

    init(send: @escaping @EventLoop (DeviceQuery) -> Void) {
        self.send = send
    }

    /// - Parameter completion: Called exactly once, with a list that is begun after this call.
    func ask(_ completion: @escaping Completion) {
        asked.append(completion)
        next()
    }

    private func next() {
        guard !isUnderWay, !asked.isEmpty else { return }
        let answered = asked
        asked = []
        isUnderWay = true
        send(
            DeviceQuery("list the microphones", of: .sources) { [weak self] result in
                self?.isUnderWay = false
                for completion in answered { completion(result) }
                self?.next()
            }
        )
    }
}
