// Service updates with a completion handler in the two spellings that the compiler accepts: Swift 6. Compiles
// unchanged on iOS.
import Foundation
import PushToTalk

/// Declares the completion as the framework does, because it calls it from another actor.
@MainActor
public final class Roster: NSObject, PTChannelManagerDelegate {
    public private(set) var names: [String] = []

    public nonisolated func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int,
        completion: @escaping @Sendable () -> Void
    ) {
        let name = pushPayload["roster"] as? String ?? "nothing"
        Task { @MainActor in
            self.names.append(name)
            completion()
        }
    }

    public nonisolated func channelManager(
        _: PTChannelManager,
        didJoinChannel: UUID,
        reason: PTChannelJoinReason
    ) {}

    public nonisolated func channelManager(
        _: PTChannelManager,
        didLeaveChannel: UUID,
        reason: PTChannelLeaveReason
    ) {}

    public nonisolated func channelManager(
        _: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}

    public nonisolated func channelManager(
        _: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}

    public nonisolated func channelManager(_: PTChannelManager, receivedEphemeralPushToken token: Data) {}

    public nonisolated func channelManager(_: PTChannelManager, didActivate session: AVAudioSession) {}

    public nonisolated func channelManager(_: PTChannelManager, didDeactivate session: AVAudioSession) {}

    public nonisolated func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult { .leaveChannel }
}

/// Declares the completion without `@Sendable`, as older code does.
public final class Board: NSObject, PTChannelManagerDelegate, @unchecked Sendable {
    public private(set) var names: [String] = []

    public func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int,
        completion: @escaping () -> Void
    ) {
        names.append(pushPayload["roster"] as? String ?? "nothing")
        completion()
    }

    /// Continues after a reason that this version of the application does not know.
    public static func isWanted(_ reason: PTChannelLeaveReason) -> Bool {
        switch reason {
        case .userRequest, .developerRequest: true
        case .unknown, .systemPolicy: false
        @unknown default: false
        }
    }

    public func channelManager(_: PTChannelManager, didJoinChannel: UUID, reason: PTChannelJoinReason) {}

    public func channelManager(_: PTChannelManager, didLeaveChannel: UUID, reason: PTChannelLeaveReason) {}

    public func channelManager(
        _: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}

    public func channelManager(
        _: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}

    public func channelManager(_: PTChannelManager, receivedEphemeralPushToken token: Data) {}

    public func channelManager(_: PTChannelManager, didActivate session: AVAudioSession) {}

    public func channelManager(_: PTChannelManager, didDeactivate session: AVAudioSession) {}

    public func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult { .leaveChannel }
}
