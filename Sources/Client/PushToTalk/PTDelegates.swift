public import Foundation
public import PTTPlatformTypes

/// Told of everything that happens to the channel.
///
/// Methods that are optional in Apple's framework have default implementations here. One difference comes with that: a
/// method that only a *subclass* of the conforming class adds is not called.
public protocol PTChannelManagerDelegate: NSObjectProtocol {
    func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    )

    func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    )

    /// The microphone is not open yet: record from `didActivate` on.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    )

    /// The source is who asked for the end, which need not be who began; `unknown` if nobody asked.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    )

    /// The token lets its bearer send pushes while the channel is joined. It is told after the manager was made and
    /// after each join, also if it has not changed, and its length varies. Apple's texts say either. Senders write it in
    /// hexadecimal digits, two for each byte, in lower case.
    func channelManager(_ channelManager: PTChannelManager, receivedEphemeralPushToken pushToken: Data)

    /// Must answer at once. After two seconds the journal of `pttd` remarks on it, after five the push counts as
    /// unanswered; Apple states no limit. `stopTransmitting` called from here takes effect together with the answer.
    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult

    func channelManager(_ channelManager: PTChannelManager, didActivate audioSession: AVAudioSession)

    func channelManager(_ channelManager: PTChannelManager, didDeactivate audioSession: AVAudioSession)

    // MARK: Optional

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToJoinChannel channelUUID: UUID,
        error: any Error
    )

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToLeaveChannel channelUUID: UUID,
        error: any Error
    )

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToBeginTransmittingInChannel channelUUID: UUID,
        error: any Error
    )

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToStopTransmittingInChannel channelUUID: UUID,
        error: any Error
    )

    /// Data from the application's server, without sound. `completion` is to be called when it is processed, within 30
    /// seconds. A method that takes it without `@Sendable` is a witness too, in both language modes.
    func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int,
        completion: @escaping @Sendable () -> Void
    )

    /// The same for delegates that work asynchronously; one of the two is enough.
    func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int
    ) async
}

extension PTChannelManagerDelegate {
    public func channelManager(
        _ channelManager: PTChannelManager,
        failedToJoinChannel channelUUID: UUID,
        error: any Error
    ) {}

    public func channelManager(
        _ channelManager: PTChannelManager,
        failedToLeaveChannel channelUUID: UUID,
        error: any Error
    ) {}

    public func channelManager(
        _ channelManager: PTChannelManager,
        failedToBeginTransmittingInChannel channelUUID: UUID,
        error: any Error
    ) {}

    public func channelManager(
        _ channelManager: PTChannelManager,
        failedToStopTransmittingInChannel channelUUID: UUID,
        error: any Error
    ) {}

    public func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int,
        completion: @escaping @Sendable () -> Void
    ) {
        // Made for this one call and given away with it.
        nonisolated(unsafe) let delegate: any PTChannelManagerDelegate = self
        nonisolated(unsafe) let payload = pushPayload
        Task {
            await delegate.incomingServiceUpdatePush(
                channelManager: channelManager,
                channelUUID: channelUUID,
                pushPayload: payload,
                isHighPriority: isHighPriority,
                remainingHighPriorityBudget: remainingHighPriorityBudget
            )
            completion()
        }
    }

    public func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int
    ) async {}
}

/// Asked for what people see of a channel that is restored.
public protocol PTChannelRestorationDelegate: NSObjectProtocol {
    /// Called only if the core has lost the descriptor that it had saved, and no push waits. Must answer at once, without
    /// the network; until it does, the channel is called like the application.
    func channelDescriptor(restoredChannelUUID channelUUID: UUID) -> PTChannelDescriptor
}
