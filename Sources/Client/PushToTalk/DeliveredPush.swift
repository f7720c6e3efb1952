import Foundation
import PTTMessages
import Synchronization

/// The application's answer to a push.
struct PushAnswer: Sendable {
    enum Result: Sendable {
        case participant(PTParticipant)
        case leave
        /// A service update was processed.
        case processed
        /// The delegate could not be called.
        case nothing
    }

    let result: Result
    /// True if the delegate also requested the end of the transmission.
    var endsTransmission = false

    func request(_ pushID: PushID) -> ApplicationInterface.FinishPushRequest {
        var participant: ApplicationInterface.Speaker?
        let name: ApplicationInterface.PushResult
        switch result {
        case .participant(let speaker):
            participant = .init(name: speaker.name, image: speaker.image?.base64)
            name = .activeRemoteParticipant
        case .leave: name = .leaveChannel
        case .processed: name = .processed
        case .nothing: name = .unknown
        }
        return ApplicationInterface.FinishPushRequest(
            pushID: pushID,
            result: name,
            participant: participant,
            endsTransmission: endsTransmission
        )
    }

    /// The callback for an answer that the core refuses; nil if there is none for it.
    func failed(_ channelUUID: UUID, _ error: PTChannelError) -> Callback? {
        switch result {
        case .participant(let participant):
            .failedToActivate(channelUUID, participant: participant, error: error)
        case .leave:
            .failedToLeave(channelUUID, error)
        case .processed, .nothing:
            nil
        }
    }
}

/// A push from the core on its way to the delegate.
///
/// Unchecked because of the payload, which is made for one callback and passed to it alone.
final class DeliveredPush: @unchecked Sendable {
    let push: Push
    let channelUUID: UUID
    let payload: [String: Any]
    /// Receives the application's answer.
    let answer: @Sendable (PushAnswer) -> Void
    /// False once the delegate has received it, or the core no longer waits for its answer.
    private let isWaiting = Atomic(true)

    init(
        _ push: Push,
        channelUUID: UUID,
        payload: [String: Any],
        answer: @escaping @Sendable (PushAnswer) -> Void
    ) {
        self.push = push
        self.channelUUID = channelUUID
        self.payload = payload
        self.answer = answer
    }

    /// Begins the delivery, unless the push is withdrawn.
    ///
    /// - Returns: True if the delegate is to be called.
    func begin() -> Bool { isWaiting.exchange(false, ordering: .sequentiallyConsistent) }

    /// Prevents the delivery, unless it has begun.
    func withdraw() { isWaiting.store(false, ordering: .sequentiallyConsistent) }
}

extension Push {
    /// The payload as the delegate receives it.
    var dictionary: [String: Any]? {
        // The core has checked that it is an object. An error would end this push, not the application.
        (try? JSONSerialization.jsonObject(with: Data(payload.utf8))) as? [String: Any]
    }
}
