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
        isJoined = true
        remember()
        // The server has refused us in the meantime.
        if failure != nil { return channelManager.leaveChannel(channelUUID: channelUUID) }
        settle()
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    ) {
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
        if isTransmitting { record(from: audioSession.ptt.microphone) }
        listen()
    }

    func channelManager(_ channelManager: PTChannelManager, didDeactivate audioSession: AVAudioSession) {
        isAudioActive = false
        // What was not heard to its end will not be.
        if playback.closed() { perform(floor.unheard()) }
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

extension Radio: @MainActor PTTButtonDelegate {
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttButtonPressed accessory: PTTAccessory
    ) {
        switch accessory.role {
        case .channelUp: step(isNext: true)
        case .channelDown: step(isNext: false)
        case .talk, .emergency, .secondTalk, .multifunction, .other: break
        }
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttButtonReleased accessory: PTTAccessory
    ) {
        // The press has done all.
    }

    private func step(isNext: Bool) {
        // What is being said is for those who hear it.
        guard !isTransmitting else { return Output.line("the channel stays while you talk") }
        do {
            let list = try UserFiles.channelList()
            guard let destination = list.neighbour(of: destination, isNext: isNext) else {
                return Output.line("\(UserFiles.channels.path) has no other channel")
            }
            Output.line("channel \(destination.text)")
            tune(to: destination)
        } catch {
            Output.error(error.localizedDescription)
        }
    }
}
