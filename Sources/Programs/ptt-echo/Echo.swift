import Foundation
import PushToTalk

/// The application: told of everything by the channel manager, and asking it for what it wants.
@MainActor
final class Echo: NSObject {
    private let (ends, ending) = AsyncStream.makeStream(of: Int32.self)
    private var manager: PTChannelManager?
    private var channel: SavedChannel?
    /// Since this start.
    private var isJoined = false

    private var isTransmitting = false
    private var isSessionActive = false
    /// Who talks at the other end.
    private var speaker: PTParticipant?
    private var tape = Tape()

    /// Makes the channel manager, as early as possible at each start: the channel of an application that was started for
    /// it and makes none is left.
    func start() async {
        do {
            channel = try SavedChannel.load()
            let manager = try await PTChannelManager.channelManager(delegate: self, restorationDelegate: self)
            self.manager = manager
            join(manager)
        } catch {
            end(1, "cannot start: \(error.localizedDescription)")
        }
    }

    /// Joins, unless the system has kept the channel: then it was told as restored, and is active already.
    private func join(_ manager: PTChannelManager) {
        if let active = manager.activeChannelUUID { return say("channel \(active) was kept") }
        guard let channel else { return }
        manager.requestJoinChannel(channelUUID: channel.uuid, descriptor: channel.descriptor)
    }

    // MARK: The echo

    /// A radio would tell its server here that somebody else may talk, and set a participant when a server says who.
    private func answer() async {
        guard !isTransmitting, speaker == nil, await tape.isRecorded else { return }
        await setSpeaker(PTParticipant(name: "Echo", image: nil))
    }

    /// Plays the recording for whoever talks, then says that nobody talks any more.
    private func play(_ audioSession: AVAudioSession) {
        tape.play(to: audioSession.ptt.speaker) { [weak self] in await self?.setSpeaker(nil) }
    }

    /// While a participant is set, the audio session is active and a half-duplex channel does not transmit.
    private func setSpeaker(_ participant: PTParticipant?) async {
        guard let manager, let channelUUID = manager.activeChannelUUID, speaker != nil || participant != nil
        else {
            return
        }
        do {
            speaker = participant
            try await manager.setActiveRemoteParticipant(participant, channelUUID: channelUUID)
            say(participant.map { "\($0.name) talks" } ?? "nobody talks any more")
        } catch PTChannelError.transmissionInProgress {
            // Somebody has pressed in the meantime. The answer to that transmission comes after it.
            speaker = nil
        } catch {
            speaker = nil
            say("the speaker could not be set: \(error.localizedDescription)")
        }
    }

    // MARK: The end

    /// Returns when there is nothing more to do, with the exit code of the program.
    func untilItEnds() async -> Never {
        for await code in ends { exit(code) }
        exit(0)
    }

    private func end(_ code: Int32, _ reason: String) {
        say(reason)
        ending.yield(code)
    }

    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// Who asked. A later version of the framework may know of others.
private func word(_ source: PTChannelTransmitRequestSource) -> String {
    switch source {
    case .userRequest: "by a person"
    case .developerRequest: "by the application"
    case .handsfreeButton: "by a button"
    case .unknown: "by nobody"
    @unknown default: "by \(source)"
    }
}

// Each callback comes when what it tells of has happened, and before anything later.
extension Echo: @MainActor PTChannelManagerDelegate {
    func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    ) {
        // The place to set mode and service status, which begin anew with each joining.
        say("didJoin \(channelUUID) \(reason == .channelRestoration ? "again" : "anew")")
        isJoined = true
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    ) {
        let told = "didLeave \(channelUUID), reason \(reason.rawValue)"
        // The first to be heard of after an absence is how that ended. This start is to join anew.
        guard isJoined else { return say("\(told), while this was away") }
        // Whoever left it has the last word: joining again is for a person to ask for.
        end(0, told)
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToJoinChannel channelUUID: UUID,
        error: any Error
    ) {
        end(1, "failedToJoin \(error.localizedDescription)")
    }

    func channelManager(_ channelManager: PTChannelManager, receivedEphemeralPushToken pushToken: Data) {
        // A radio sends it to its server, which can then wake it: `pttctl push --token TOKEN '{"activeSpeaker":"Ann"}'`.
        say("token \(pushToken.map { String(format: "%02x", $0) }.joined())")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        say("didBegin \(word(source))")
        isTransmitting = true
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        say("didEnd \(word(source))")
        isTransmitting = false
        // A push has ended it, and its speaker talks in the same session: there is no didDeactivate in between.
        if speaker != nil, isSessionActive { play(.sharedInstance()) }
    }

    func channelManager(_ channelManager: PTChannelManager, didActivate audioSession: AVAudioSession) {
        say("didActivate")
        isSessionActive = true
        if isTransmitting { tape.record(from: audioSession.ptt.microphone) } else { play(audioSession) }
    }

    func channelManager(_ channelManager: PTChannelManager, didDeactivate audioSession: AVAudioSession) {
        say("didDeactivate")
        isSessionActive = false
        Task { await answer() }
    }

    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult {
        // Answer at once, from what is in the payload.
        guard let name = pushPayload["activeSpeaker"] as? String else {
            say("incomingPush leave")
            return .leaveChannel
        }
        say("incomingPush \(name)")
        // In half duplex one talks at a time, and the answer decides that it is the other end's turn.
        if isTransmitting { channelManager.stopTransmitting(channelUUID: channelUUID) }
        let participant = PTParticipant(name: name, image: nil)
        speaker = participant
        return .activeRemoteParticipant(participant)
    }

    func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int,
        completion: @escaping () -> Void
    ) {
        say("incomingServiceUpdate \(pushPayload.keys.sorted())")
        completion()
    }

    // The requests of this application that can fail are answered where they are made; these two tell of races.

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToBeginTransmittingInChannel channelUUID: UUID,
        error: any Error
    ) {
        say("failedToBegin \(error.localizedDescription)")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToStopTransmittingInChannel channelUUID: UUID,
        error: any Error
    ) {
        say("failedToStop \(error.localizedDescription)")
    }
}

extension Echo: @MainActor PTChannelRestorationDelegate {
    /// Asked for only if the system has lost its own copy. Answer at once, without the network.
    func channelDescriptor(restoredChannelUUID channelUUID: UUID) -> PTChannelDescriptor {
        say("channelDescriptor \(channelUUID)")
        return channel?.descriptor ?? PTChannelDescriptor(name: "Echo", image: nil)
    }
}
