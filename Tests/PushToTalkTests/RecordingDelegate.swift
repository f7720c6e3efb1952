import Foundation
import PushToTalk
import Synchronization
import TestSupport

/// A delegate that records each callback as a line, in order.
final class RecordingDelegate: NSObject, PTChannelManagerDelegate, PTChannelRestorationDelegate,
    PTTParticipantDelegate, Sendable
{
    typealias PushAnswer = @Sendable (PTChannelManager, UUID) -> PTPushResult

    let lines = AsyncQueue(of: String.self)
    let tokens = AsyncQueue(of: Data.self)
    /// Returns the result of a push.
    private let answer: PushAnswer
    private let recordedLines = Mutex<[String]>([])
    /// How long `channelDescriptor` blocks, as in a delegate that waits for the network.
    private let descriptorTime: Duration

    init(
        holdsDescriptorFor descriptorTime: Duration = .zero,
        answer: @escaping PushAnswer = { _, _ in
            .activeRemoteParticipant(PTParticipant(name: "Bob", image: nil))
        }
    ) {
        self.descriptorTime = descriptorTime
        self.answer = answer
    }

    /// All lines so far.
    var all: [String] { recordedLines.withLock { $0 } }

    func record(_ line: String) {
        recordedLines.withLock { $0.append(line) }
        lines.add(line)
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    ) {
        record("didJoin \(reason.rawValue) \(channelManager.activeChannelUUID == channelUUID)")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    ) {
        record("didLeave \(reason.rawValue) \(channelManager.activeChannelUUID == nil)")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        record("didBegin \(source.rawValue)")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        record("didEnd \(source.rawValue)")
    }

    func channelManager(_ channelManager: PTChannelManager, receivedEphemeralPushToken pushToken: Data) {
        tokens.add(pushToken)
    }

    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult {
        record("incomingPush \(pushPayload.keys.sorted().joined(separator: ","))")
        return answer(channelManager, channelUUID)
    }

    func channelManager(_ channelManager: PTChannelManager, didActivate audioSession: AVAudioSession) {
        record("didActivate")
    }

    func channelManager(_ channelManager: PTChannelManager, didDeactivate audioSession: AVAudioSession) {
        record("didDeactivate")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToJoinChannel channelUUID: UUID,
        error: any Error
    ) {
        record("failedToJoin \(name(error))")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToLeaveChannel channelUUID: UUID,
        error: any Error
    ) {
        record("failedToLeave \(name(error))")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToBeginTransmittingInChannel channelUUID: UUID,
        error: any Error
    ) {
        record("failedToBegin \(name(error))")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToStopTransmittingInChannel channelUUID: UUID,
        error: any Error
    ) {
        record("failedToStop \(name(error))")
    }

    func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int,
        completion: @escaping () -> Void
    ) {
        record("serviceUpdate \(isHighPriority) \(remainingHighPriorityBudget)")
        completion()
        completion()
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttFailedToActivate participant: PTParticipant,
        error: any Error
    ) {
        record("failedToActivate \(participant.name) \(name(error))")
    }

    func channelDescriptor(restoredChannelUUID channelUUID: UUID) -> PTChannelDescriptor {
        record("channelDescriptor")
        let milliseconds = Int(descriptorTime / .milliseconds(1))
        // The semaphore is never signalled: this waits for the whole time.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(milliseconds))
        return PTChannelDescriptor(name: "Restored", image: nil)
    }

    /// Errors that crossed the socket have the types of Apple's framework.
    private func name(_ error: any Error) -> String {
        guard let error = error as? PTChannelError else { return "\(error)" }
        return switch error.code {
        case .unknown: "unknown"
        case .channelNotFound: "channelNotFound"
        case .channelLimitReached: "channelLimitReached"
        case .callActive: "callActive"
        case .transmissionInProgress: "transmissionInProgress"
        case .transmissionNotFound: "transmissionNotFound"
        case .appNotForeground: "appNotForeground"
        case .deviceManagementRestriction: "deviceManagementRestriction"
        case .screenTimeRestriction: "screenTimeRestriction"
        case .transmissionNotAllowed: "transmissionNotAllowed"
        @unknown default: "\(error.code)"
        }
    }
}
