// The minimum that compiles: an object with only the required methods, Swift 5. Compiles unchanged on iOS.
import Foundation
import PushToTalk

open class Walkie: NSObject, PTChannelManagerDelegate {
    public let restoration = Restoration()

    @available(iOS 16.0, *)
    open func begin(_ finished: @escaping (PTChannelManager?) -> Void) {
        PTChannelManager.channelManager(delegate: self, restorationDelegate: restoration) { manager, error in
            switch error {
            case PTInstantiationError.invalidPlatform?: print("no push-to-talk here")
            case let error?: print(error)
            case nil: break
            }
            finished(manager)
        }
    }

    public func channelManager(
        _ manager: PTChannelManager,
        didJoinChannel uuid: UUID,
        reason: PTChannelJoinReason
    ) {}
    public func channelManager(
        _ manager: PTChannelManager,
        didLeaveChannel uuid: UUID,
        reason: PTChannelLeaveReason
    ) {}
    public func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}
    public func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}
    public func channelManager(_ manager: PTChannelManager, receivedEphemeralPushToken token: Data) {}
    public func channelManager(_ manager: PTChannelManager, didActivate session: AVAudioSession) {}
    public func channelManager(_ manager: PTChannelManager, didDeactivate session: AVAudioSession) {}
    public func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult { PTPushResult.leaveChannel }
}

public class Restoration: NSObject, PTChannelRestorationDelegate {
    public func channelDescriptor(restoredChannelUUID uuid: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Walkie", image: nil)
    }
}
