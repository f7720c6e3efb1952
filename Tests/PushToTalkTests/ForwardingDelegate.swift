import Foundation
import PushToTalk

/// A delegate that implements some methods itself, and forwards the others to one that records them.
protocol ForwardingDelegate: PTChannelManagerDelegate, PTChannelRestorationDelegate {
    var recorded: RecordingDelegate { get }
}

extension ForwardingDelegate {
    func channelManager(_ manager: PTChannelManager, didJoinChannel uuid: UUID, reason: PTChannelJoinReason) {
        recorded.channelManager(manager, didJoinChannel: uuid, reason: reason)
    }

    func channelManager(_ manager: PTChannelManager, didLeaveChannel uuid: UUID, reason: PTChannelLeaveReason)
    {
        recorded.channelManager(manager, didLeaveChannel: uuid, reason: reason)
    }

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        recorded.channelManager(manager, channelUUID: channelUUID, didBeginTransmittingFrom: source)
    }

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        recorded.channelManager(manager, channelUUID: channelUUID, didEndTransmittingFrom: source)
    }

    func channelManager(_ manager: PTChannelManager, receivedEphemeralPushToken token: Data) {}

    func channelManager(_ manager: PTChannelManager, didActivate session: AVAudioSession) {
        recorded.channelManager(manager, didActivate: session)
    }

    func channelManager(_ manager: PTChannelManager, didDeactivate session: AVAudioSession) {
        recorded.channelManager(manager, didDeactivate: session)
    }

    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult { .leaveChannel }

    func channelDescriptor(restoredChannelUUID uuid: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Ops", image: nil)
    }
}
