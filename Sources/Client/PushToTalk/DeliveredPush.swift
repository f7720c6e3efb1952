import Foundation
import PTTMessages
import Synchronization

/// What the application says to a push.
struct PushAnswer: Sendable {
    enum Result: Sendable {
        case participant(PTParticipant)
        case leave
        /// Of a service update.
        case processed
        /// It said nothing, or nothing was asked.
        case nothing
    }

    let result: Result
    /// Whether it asked for the end of the transmission in the same step.
    var endsTransmission = false

    func request(_ pushID: PushID) -> ApplicationInterface.FinishPushRequest {
        var participant: ApplicationInterface.Speaker?
        let word: ApplicationInterface.PushResult
        switch result {
        case .participant(let speaker):
            participant = .init(name: speaker.name, image: speaker.imageText)
            word = .activeRemoteParticipant
        case .leave: word = .leaveChannel
        case .processed: word = .processed
        case .nothing: word = .unknown
        }
        return ApplicationInterface.FinishPushRequest(
            pushID: pushID,
            result: word,
            participant: participant,
            endsTransmission: endsTransmission
        )
    }

    /// What to tell if it comes to nothing; nil if there is nobody to tell.
    func failed(_ channelUUID: UUID, _ error: PTChannelError) -> Callback? {
        switch result {
        case .participant(let participant):
            .failedToActivate(channelUUID, participant, error)
        case .leave:
            .failedToLeave(channelUUID, error)
        case .processed, .nothing:
            nil
        }
    }
}

/// A push on its way through the application.
///
/// Unchecked because of its payload, which is made for one callback and given away with it.
final class DeliveredPush: @unchecked Sendable {
    private enum Progress {
        /// In the callback queue.
        case waiting
        /// The delegate looks at it, or has answered.
        case delivered
        /// The core waits for it no longer.
        case withdrawn
    }

    let push: Push
    let channelUUID: UUID
    let payload: [String: Any]
    /// Takes the application's answer.
    let answer: @Sendable (PushAnswer) -> Void
    private let progress = Mutex(Progress.waiting)

    init(
        _ push: Push,
        _ channelUUID: UUID,
        _ payload: [String: Any],
        answer: @escaping @Sendable (PushAnswer) -> Void
    ) {
        self.push = push
        self.channelUUID = channelUUID
        self.payload = payload
        self.answer = answer
    }

    /// The push has come to its turn in the callback queue.
    ///
    /// - Returns: False if it came there too late, and nobody is to see it.
    func begin() -> Bool {
        progress.withLock { progress in
            guard progress == .waiting else { return false }
            progress = .delivered
            return true
        }
    }

    /// What the delegate has not begun to look at, it shall not see any more.
    func withdraw() {
        progress.withLock { if $0 == .waiting { $0 = .withdrawn } }
    }
}

/// A push's payload as an application gets it.
enum Payload {
    static func dictionary(_ text: String) -> [String: Any]? {
        // The core has checked that it is an object; nil ends this push, not the application.
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    }
}
