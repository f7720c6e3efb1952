import Foundation
import PushToTalk

@MainActor
final class Radio: NSObject, @MainActor PTChannelManagerDelegate, @MainActor PTChannelRestorationDelegate {
    private var recorded: [PTTAudioFrame] = []
    private var isTransmitting = false

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        print("transmission began")
        isTransmitting = true
        recorded = []
    }

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        isTransmitting = false
    }

    func channelManager(_ manager: PTChannelManager, didActivate audioSession: AVAudioSession) {
        isTransmitting ? record(audioSession, manager) : play(audioSession, manager)
    }

    private func record(_ audioSession: AVAudioSession, _ manager: PTChannelManager) {
        Task {
            // Ends with the audio session. A radio would send the frames: 960 samples each, 48 kHz, mono.
            for await frame in audioSession.ptt.microphone { recorded.append(frame) }
            guard let channel = manager.activeChannelUUID else { return }
            let echo = PTParticipant(name: "Echo", image: nil)
            try await manager.setActiveRemoteParticipant(echo, channelUUID: channel)
        }
    }

    private func play(_ audioSession: AVAudioSession, _ manager: PTChannelManager) {
        Task {
            for frame in recorded { await audioSession.ptt.speaker.play(frame) }
            await audioSession.ptt.speaker.finish()
            guard let channel = manager.activeChannelUUID else { return }
            try await manager.setActiveRemoteParticipant(nil, channelUUID: channel)
        }
    }

    func channelManager(_ manager: PTChannelManager, didDeactivate audioSession: AVAudioSession) {}

    func channelManager(_ manager: PTChannelManager, didJoinChannel uuid: UUID, reason: PTChannelJoinReason) {
        print("joined: hold a button, or run pttctl talk --for 3s")
    }

    func channelManager(_ manager: PTChannelManager, didLeaveChannel uuid: UUID, reason: PTChannelLeaveReason)
    {
        exit(0)
    }

    func channelManager(_ manager: PTChannelManager, failedToJoinChannel uuid: UUID, error: any Error) {
        fatalError(error.localizedDescription)
    }

    func channelManager(_ manager: PTChannelManager, receivedEphemeralPushToken token: Data) {
        let token = token.map { String(format: "%02x", $0) }.joined()
        print("pttctl push --token \(token) '{\"activeSpeaker\":\"Ann\"}'")
    }

    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult {
        guard let name = pushPayload["activeSpeaker"] as? String else { return .leaveChannel }
        return .activeRemoteParticipant(PTParticipant(name: name, image: nil))
    }

    func channelDescriptor(restoredChannelUUID uuid: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Radio", image: nil)
    }
}

PTChannelManager.pttCallbackQueue = .main
let radio = Radio()
let manager = try await PTChannelManager.channelManager(delegate: radio, restorationDelegate: radio)
if manager.activeChannelUUID == nil {
    manager.requestJoinChannel(
        channelUUID: UUID(),
        descriptor: PTChannelDescriptor(name: "Radio", image: nil)
    )
}
while true { try await Task.sleep(for: .seconds(3600)) }
