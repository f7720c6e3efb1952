// The model of a user interface on the main actor, to which its delegate methods dispatch: Swift 6. Compiles
// unchanged on iOS.
import Foundation
import PushToTalk

@MainActor
public final class Model: NSObject {
    public private(set) var isTransmitting = false
    public private(set) var speaker: String?
    private var manager: PTChannelManager?

    public func start() async {
        do {
            manager = try await PTChannelManager.channelManager(delegate: self, restorationDelegate: self)
        } catch {
            print(error.localizedDescription)
        }
    }

    public func startWithCallback() {
        PTChannelManager.channelManager(delegate: self, restorationDelegate: self) { manager, _ in
            Task { @MainActor in self.manager = manager }
        }
    }

    public func toggle(_ channel: UUID) {
        if isTransmitting {
            manager?.stopTransmitting(channelUUID: channel)
        } else {
            manager?.requestBeginTransmitting(channelUUID: channel)
        }
    }
}

extension Model: PTChannelManagerDelegate {
    public nonisolated func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    ) {
        channelManager.setTransmissionMode(.halfDuplex, channelUUID: channelUUID) { error in
            if let error { print(error) }
        }
    }

    public nonisolated func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    ) {
        Task { @MainActor in self.isTransmitting = false }
    }

    public nonisolated func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        Task { @MainActor in self.isTransmitting = true }
    }

    public nonisolated func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        Task { @MainActor in self.isTransmitting = false }
    }

    public nonisolated func channelManager(
        _ channelManager: PTChannelManager,
        receivedEphemeralPushToken pushToken: Data
    ) {}

    public nonisolated func channelManager(
        _ channelManager: PTChannelManager,
        didActivate audioSession: AVAudioSession
    ) {}

    public nonisolated func channelManager(
        _ channelManager: PTChannelManager,
        didDeactivate audioSession: AVAudioSession
    ) {}

    public nonisolated func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult {
        let name = pushPayload["speaker"] as? String ?? "Somebody"
        Task { @MainActor in self.speaker = name }
        channelManager.stopTransmitting(channelUUID: channelUUID)
        return .activeRemoteParticipant(PTParticipant(name: name, image: nil))
    }
}

extension Model: PTChannelRestorationDelegate {
    public nonisolated func channelDescriptor(restoredChannelUUID channelUUID: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Main", image: nil)
    }
}
