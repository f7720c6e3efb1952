import Foundation
import PTTMessages
import PTTPlatformTypes
import Synchronization

// These methods run on the callback queue.
extension PTChannelManager {
    func deliver(_ callback: Callback) {
        switch callback {
        case .joined(let uuid, let reason):
            state.withLock { $0.activeChannelUUID = uuid }
            delegate?.channelManager(self, didJoinChannel: uuid, reason: reason)
        case .left(let uuid, let reason):
            state.withLock { $0.activeChannelUUID = nil }
            delegate?.channelManager(self, didLeaveChannel: uuid, reason: reason)
        case .began(let uuid, let source, let role):
            state.withLock { $0.transmissionRole = role }
            delegate?.channelManager(self, channelUUID: uuid, didBeginTransmittingFrom: source)
        case .ended(let uuid, let source):
            delegate?.channelManager(self, channelUUID: uuid, didEndTransmittingFrom: source)
            state.withLock { $0.transmissionRole = nil }
        case .token(let token):
            delegate?.channelManager(self, receivedEphemeralPushToken: token.bytes)
        case .activated:
            AVAudioSession.sharedInstance().activated(true)
            delegate?.channelManager(self, didActivate: .sharedInstance())
        case .deactivated:
            AVAudioSession.sharedInstance().activated(false)
            delegate?.channelManager(self, didDeactivate: .sharedInstance())
        case .interruption(let began):
            AVAudioSession.sharedInstance().interrupted(began)
        case .pressed(let uuid, let accessory):
            if accessory.role.requested.transmits {
                accessoryDelegate?.channelManager(self, channelUUID: uuid, pttAccessoryPressed: accessory)
            } else {
                buttonDelegate?.channelManager(self, channelUUID: uuid, pttButtonPressed: accessory)
            }
        case .released(let uuid, let accessory):
            if accessory.role.requested.transmits {
                accessoryDelegate?.channelManager(self, channelUUID: uuid, pttAccessoryReleased: accessory)
            } else {
                buttonDelegate?.channelManager(self, channelUUID: uuid, pttButtonReleased: accessory)
            }
        case .routeChanged(let input, let output):
            AVAudioSession.sharedInstance().routeChanged(input: input, output: output)
        case .servicesLost:
            AVAudioSession.sharedInstance().servicesWereLost()
        case .servicesReset:
            AVAudioSession.sharedInstance().servicesWereReset()
        case .push(let push):
            deliver(push)
        case .failedToActivate(let uuid, let participant, let error):
            (delegate as? any PTTParticipantDelegate)?
                .channelManager(self, channelUUID: uuid, pttFailedToActivate: participant, error: error)
        case .failedToJoin(let uuid, let error):
            delegate?.channelManager(self, failedToJoinChannel: uuid, error: error)
        case .failedToLeave(let uuid, let error):
            delegate?.channelManager(self, failedToLeaveChannel: uuid, error: error)
        case .failedToBegin(let uuid, let error):
            delegate?.channelManager(self, failedToBeginTransmittingInChannel: uuid, error: error)
        case .failedToStop(let uuid, let error):
            delegate?.channelManager(self, failedToStopTransmittingInChannel: uuid, error: error)
        }
    }

    private func deliver(_ delivered: DeliveredPush) {
        let push = delivered.push
        guard delivered.begin() else {
            return Diagnostics.note("push \(push.pushID.rawValue) waited too long in the callback queue")
        }
        switch push.kind {
        case .pushToTalk:
            delivered.answer(result(of: delivered))
        case .serviceUpdate:
            let completion = OneTimeCompletion("the completion of service update \(push.pushID.rawValue)") {
                delivered.answer(PushAnswer(result: .processed))
            }
            guard let delegate else { return completion.call() }
            delegate.incomingServiceUpdatePush(
                channelManager: self,
                channelUUID: delivered.channelUUID,
                pushPayload: delivered.payload,
                isHighPriority: push.isHighPriority,
                remainingHighPriorityBudget: push.remainingHighPriorityBudget,
                completion: { completion.call() }
            )
        case .unknown:
            delivered.answer(PushAnswer(result: .nothing))
        }
    }

    private func result(of delivered: DeliveredPush) -> PushAnswer {
        let pushID = delivered.push.pushID
        state.withLock { $0.pendingPush = PendingPush(pushID: pushID, channelUUID: delivered.channelUUID) }
        let result = delegate?.incomingPushResult(
            channelManager: self,
            channelUUID: delivered.channelUUID,
            pushPayload: delivered.payload
        )
        let endsTransmission = state.withLock { state in
            defer { state.pendingPush = nil }
            return state.pendingPush?.isStopRequested ?? false
        }
        return PushAnswer(result: result?.value ?? .nothing, endsTransmission: endsTransmission)
    }
}

extension PushToken {
    /// The bytes that the hexadecimal digits encode: applications encode the token themselves, as for Apple's
    /// push service.
    var bytes: Data {
        let digits = rawValue.compactMap(\.hexDigitValue)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        )
    }
}

/// A completion handler that the application must call. Calls after the first have no effect.
final class OneTimeCompletion: Sendable {
    private let name: String
    private let body: @Sendable () -> Void
    private let isCalled = Atomic(false)

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    deinit {
        if !isCalled.load(ordering: .sequentiallyConsistent) { Diagnostics.note("\(name) was not called") }
    }

    func call() {
        if !isCalled.exchange(true, ordering: .sequentiallyConsistent) { body() }
    }
}
