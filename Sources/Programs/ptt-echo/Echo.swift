import Foundation
import PushToTalk

/// The application: it sends its requests to the channel manager, and receives all events as the manager's
/// delegate.
@MainActor
final class Echo: NSObject {
    /// The exit code of the program, when it is to end.
    private let (exitCodes, exitCode) = AsyncStream.makeStream(of: Int32.self)
    private var manager: PTChannelManager?
    private var channel: EchoChannel?
    /// True if the channel was joined or restored since the program started.
    private var isJoined = false

    private var isTransmitting = false
    private var isSessionActive = false
    /// The remote participant who talks.
    private var activeParticipant: PTParticipant?
    private var tape = Tape()

    /// Creates the channel manager as early as possible: if a press or a push has started the application, it
    /// waits for the manager, at most ten seconds.
    func start() async {
        do {
            channel = try EchoChannel.load()
            let manager = try await PTChannelManager.channelManager(delegate: self, restorationDelegate: self)
            self.manager = manager
            join(manager)
        } catch {
            end(1, "cannot start: \(error.localizedDescription)")
        }
    }

    /// Joins the channel, unless the system has restored it.
    private func join(_ manager: PTChannelManager) {
        if let active = manager.activeChannelUUID { return writeLine("channel \(active) is restored") }
        guard let channel else { return }
        manager.requestJoinChannel(channelUUID: channel.uuid, descriptor: channel.descriptor)
    }

    // MARK: The echo

    /// Answers the transmission that was recorded. A radio would wait for its server to report the next
    /// participant who talks.
    private func answer() async {
        guard !isTransmitting, activeParticipant == nil, await tape.isRecorded else { return }
        await setActiveParticipant(PTParticipant(name: "Echo", image: nil))
    }

    /// Plays the recording, then removes the participant.
    private func play(_ audioSession: AVAudioSession) {
        tape.play(to: audioSession.ptt.speaker) { [weak self] in await self?.setActiveParticipant(nil) }
    }

    /// Sets or removes the remote participant. While one is set, the audio session is active and a
    /// half-duplex channel cannot transmit.
    private func setActiveParticipant(_ participant: PTParticipant?) async {
        guard let manager, let channelUUID = manager.activeChannelUUID else { return }
        guard activeParticipant != nil || participant != nil else { return }
        do {
            activeParticipant = participant
            try await manager.setActiveRemoteParticipant(participant, channelUUID: channelUUID)
            writeLine(participant.map { "\($0.name) talks" } ?? "nobody talks any more")
        } catch PTChannelError.transmissionInProgress {
            // Another transmission has begun in the meantime; it is answered after its end.
            activeParticipant = nil
        } catch {
            activeParticipant = nil
            writeLine("the participant could not be set: \(error.localizedDescription)")
        }
    }

    // MARK: The end

    /// Runs until the channel is left or cannot be joined, then ends the program.
    func runUntilEnd() async -> Never {
        for await code in exitCodes { exit(code) }
        exit(0)
    }

    private func end(_ code: Int32, _ reason: String) {
        writeLine(reason)
        exitCode.yield(code)
    }

    /// Without the buffer of `print`, so that each line is seen when it is written, also through a pipe.
    /// Names come from others: what a terminal would obey is left out.
    private func writeLine(_ line: String) {
        let hidden: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
        let shown = line.unicodeScalars.filter { !hidden.contains($0.properties.generalCategory) }
        // A line that cannot be written is no reason to end.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(String.UnicodeScalarView(shown))\n".utf8))
    }
}

private func phrase(for source: PTChannelTransmitRequestSource) -> String {
    switch source {
    case .userRequest: "by a person"
    case .developerRequest: "by the application"
    case .handsfreeButton: "by a button"
    case .unknown: "without a request"
    // A later version of the framework may have further sources.
    @unknown default: "by \(source)"
    }
}

// The manager calls each method after its event, and before any later event.
extension Echo: @MainActor PTChannelManagerDelegate {
    func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    ) {
        // Set the transmission mode and the service status here, after each join and restoration.
        writeLine("didJoin \(channelUUID)\(reason == .channelRestoration ? ", restored" : "")")
        isJoined = true
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    ) {
        let line = "didLeave \(channelUUID), reason \(reason.rawValue)"
        // The channel of the previous run was left before this start, which joins again.
        guard isJoined else { return writeLine("\(line), before this start") }
        // Do not join again by yourself: a person may have left the channel.
        end(0, line)
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToJoinChannel channelUUID: UUID,
        error: any Error
    ) {
        end(1, "failedToJoin \(error.localizedDescription)")
    }

    func channelManager(_ channelManager: PTChannelManager, receivedEphemeralPushToken pushToken: Data) {
        // A radio sends the token to its server, which can then send pushes. To try one:
        // `pttctl push --token TOKEN '{"activeSpeaker":"Ann"}'`
        writeLine("token \(pushToken.map { String(format: "%02x", $0) }.joined())")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        writeLine("didBegin \(phrase(for: source))")
        isTransmitting = true
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        writeLine("didEnd \(phrase(for: source))")
        isTransmitting = false
        // A push has ended the transmission, and its participant talks in the same session, without another
        // `didActivate`.
        if activeParticipant != nil, isSessionActive { play(.sharedInstance()) }
    }

    func channelManager(_ channelManager: PTChannelManager, didActivate audioSession: AVAudioSession) {
        writeLine("didActivate")
        isSessionActive = true
        if isTransmitting { tape.record(from: audioSession.ptt.microphone) } else { play(audioSession) }
    }

    func channelManager(_ channelManager: PTChannelManager, didDeactivate audioSession: AVAudioSession) {
        writeLine("didDeactivate")
        isSessionActive = false
        Task { await answer() }
    }

    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult {
        // Return without delay, with nothing but the payload.
        guard let name = pushPayload["activeSpeaker"] as? String else {
            writeLine("incomingPush leave")
            return .leaveChannel
        }
        writeLine("incomingPush \(name)")
        // A half-duplex channel cannot play while it transmits. The participant talks, so the transmission
        // ends.
        if isTransmitting { channelManager.stopTransmitting(channelUUID: channelUUID) }
        let participant = PTParticipant(name: name, image: nil)
        activeParticipant = participant
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
        writeLine("incomingServiceUpdate \(pushPayload.keys.sorted())")
        completion()
    }

    // This application never requests a transmission, and stops one only for a push: these two methods report
    // races.

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToBeginTransmittingInChannel channelUUID: UUID,
        error: any Error
    ) {
        writeLine("failedToBegin \(error.localizedDescription)")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        failedToStopTransmittingInChannel channelUUID: UUID,
        error: any Error
    ) {
        writeLine("failedToStop \(error.localizedDescription)")
    }
}

extension Echo: @MainActor PTChannelRestorationDelegate {
    /// Called only if the system has lost its own copy. Return without delay, and without the network.
    func channelDescriptor(restoredChannelUUID channelUUID: UUID) -> PTChannelDescriptor {
        writeLine("channelDescriptor \(channelUUID)")
        return channel?.descriptor ?? PTChannelDescriptor(name: "Echo", image: nil)
    }
}
