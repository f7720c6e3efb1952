public import Foundation
public import PTTPlatformTypes

/// Receives the events of the channel.
///
/// Methods that are optional in Apple's framework have default implementations here. Therefore an optional
/// method that only a *subclass* of the conforming class implements is not called.
public protocol PTChannelManagerDelegate: NSObjectProtocol {
    /// The channel was joined or restored.
    func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    )

    /// The channel was left, also by a person, by a rule of the policy file, or before this start of the
    /// application.
    func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    )

    /// A transmission has begun. The microphone is not open yet: record from `didActivate` on.
    ///
    /// - Parameters:
    ///   - channelManager: The manager.
    ///   - channelUUID: The channel.
    ///   - source: The source of the request that began the transmission.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    )

    /// The transmission has ended.
    ///
    /// - Parameters:
    ///   - channelManager: The manager.
    ///   - channelUUID: The channel.
    ///   - source: The source of the request that ended the transmission, which may differ from the one that
    ///     began it; `unknown` if it ended without a request.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    )

    /// A token with which a server can send pushes while the channel is joined. This is called after the
    /// manager was created and after each join, also with an unchanged token; Apple's texts name one or the
    /// other. The length of the token varies. Senders encode it in lower-case hexadecimal digits, two for
    /// each byte.
    func channelManager(_ channelManager: PTChannelManager, receivedEphemeralPushToken pushToken: Data)

    /// Returns the result of a push without delay. After two seconds the journal of `pttd` reports the delay,
    /// after five the push counts as unanswered; Apple documents no limit. A call of `stopTransmitting` from
    /// here takes effect together with the result.
    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult

    /// The audio session is active: read the microphone if the channel transmits, play if a remote
    /// participant is set.
    func channelManager(_ channelManager: PTChannelManager, didActivate audioSession: AVAudioSession)

    /// The audio session is inactive: the microphone and the speaker are closed.
    func channelManager(_ channelManager: PTChannelManager, didDeactivate audioSession: AVAudioSession)

    // MARK: Optional

    /// The channel could not be joined. The error is a ``PTChannelError``.
    func channelManager(
        _ channelManager: PTChannelManager,
        failedToJoinChannel channelUUID: UUID,
        error: any Error
    )

    /// The channel could not be left. The error is a ``PTChannelError``.
    func channelManager(
        _ channelManager: PTChannelManager,
        failedToLeaveChannel channelUUID: UUID,
        error: any Error
    )

    /// The application's request to transmit failed. The error is a ``PTChannelError``.
    func channelManager(
        _ channelManager: PTChannelManager,
        failedToBeginTransmittingInChannel channelUUID: UUID,
        error: any Error
    )

    /// The application's request to stop transmitting failed. The error is a ``PTChannelError``.
    func channelManager(
        _ channelManager: PTChannelManager,
        failedToStopTransmittingInChannel channelUUID: UUID,
        error: any Error
    )

    /// Processes data from the application's server that needs no audio.
    ///
    /// An implementation whose `completion` is not `@Sendable` also satisfies this requirement, in both
    /// language modes.
    ///
    /// - Parameters:
    ///   - channelManager: The manager.
    ///   - channelUUID: The joined channel.
    ///   - pushPayload: The payload of the push.
    ///   - isHighPriority: True if the push was sent with high priority.
    ///   - remainingHighPriorityBudget: The number of further service updates of high priority that
    ///     `pttd` accepts at present.
    ///   - completion: To be called when the data is processed, within 30 seconds.
    func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int,
        completion: @escaping @Sendable () -> Void
    )

    /// The asynchronous form of the method with a completion handler; a delegate implements one of the two.
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
        // Used by nothing else until the task is done: the payload was made for this call.
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

/// Supplies the descriptor of a restored channel.
public protocol PTChannelRestorationDelegate: NSObjectProtocol {
    /// Returns the descriptor of a restored channel from local data, without delay and without the network.
    /// Called only if `pttd` has lost its saved copy and no push waits. Until then the channel has the
    /// application's name; a descriptor that takes two seconds or longer is not used.
    func channelDescriptor(restoredChannelUUID channelUUID: UUID) -> PTChannelDescriptor
}
