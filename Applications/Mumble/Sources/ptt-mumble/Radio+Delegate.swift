import Crypto
import Foundation
import MumbleCore
import PushToTalk

// The manager calls each method after its event, and before any later event.
extension Radio: @MainActor PTChannelManagerDelegate {
    func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    ) {
        // A restored channel of another address is left, see `join`.
        guard channelUUID == self.channelUUID else { return }
        isJoined = true
        // The server has refused us in the meantime.
        if failure != nil { return channelManager.leaveChannel(channelUUID: channelUUID) }
        settle()
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    ) {
        if replacesOther {
            replacesOther = false
            return joinOwn(channelManager)
        }
        // That of an earlier run was left before this start, which joins.
        guard isJoined else { return }
        isJoined = false
        if let failure { end(EXIT_FAILURE, failure) } else { end(EXIT_SUCCESS, "left") }
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToJoinChannel channelUUID: UUID,
        error: any Error
    ) {
        end(EXIT_FAILURE, failure ?? "cannot join: \((error as? PTChannelError)?.pttReason ?? "\(error)")")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToLeaveChannel channelUUID: UUID,
        error: any Error
    ) {
        end(EXIT_FAILURE, failure ?? "cannot leave: \((error as? PTChannelError)?.pttReason ?? "\(error)")")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        transmissionBegan()
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        transmissionEnded()
    }

    func channelManager(_ channelManager: PTChannelManager, didActivate audioSession: AVAudioSession) {
        isAudioActive = true
        if isTransmitting {
            record(from: audioSession.ptt.microphone)
        } else {
            playback?.start(audioSession.ptt.speaker)
        }
    }

    func channelManager(_ channelManager: PTChannelManager, didDeactivate audioSession: AVAudioSession) {
        isAudioActive = false
        playback?.pause()
        // What was not heard to its end will not be.
        perform(floor.played())
    }

    func channelManager(_ channelManager: PTChannelManager, receivedEphemeralPushToken pushToken: Data) {
        // A Mumble server sends no pushes.
    }

    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult {
        // Nobody has the token, so that it comes from this machine; who talks is known from the server.
        .leaveChannel
    }
}

extension Radio: @MainActor PTChannelRestorationDelegate {
    func channelDescriptor(restoredChannelUUID channelUUID: UUID) -> PTChannelDescriptor { descriptor }
}

extension ServerAddress {
    /// The same for the same channel, so that the system knows it again.
    var channelUUID: UUID {
        let hash = Array(SHA256.hash(data: Array(identifier.utf8)))
        return hash.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
