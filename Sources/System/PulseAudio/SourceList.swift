import EventLoop

/// Lists the sources for all who ask: one list is under way at most, and the next one answers all who have
/// asked meanwhile.
///
/// A microphone can be asked for in a loop, and closed before the server has answered: a list for each would
/// pile up.
@EventLoop
final class SourceList {
    typealias Completion = @EventLoop (Result<AudioDevices, AudioError>) -> Void

    struct Question {
        weak var asker: AnyObject?
        let completion: Completion
    }

    private let send: @EventLoop (DeviceQuery) -> Void
    private(set) var asked: [Question] = []
    private var isUnderWay = false

    init(send: @escaping @EventLoop (DeviceQuery) -> Void) {
        self.send = send
    }

    /// - Parameters:
    ///   - asker: Once it is gone the question may be forgotten: a server that does not answer must not
    ///     gather them.
    ///   - completion: Called once, with a list that is begun after this call.
    func ask(for asker: AnyObject, _ completion: @escaping Completion) {
        asked.removeAll { $0.asker == nil }
        asked.append(Question(asker: asker, completion: completion))
        next()
    }

    private func next() {
        guard !isUnderWay, !asked.isEmpty else { return }
        let answered = asked
        asked = []
        isUnderWay = true
        send(
            DeviceQuery("list the microphones", of: DeviceQuery.sources) { [weak self] result in
                self?.isUnderWay = false
                for question in answered { question.completion(result) }
                self?.next()
            }
        )
    }
}
