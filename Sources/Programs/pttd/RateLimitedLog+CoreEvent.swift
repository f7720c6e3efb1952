import Journal
import Logging
import PTTMessages

extension RateLimitedLog {
    /// Logs the beginnings and ends of transmissions, channels and pushes with their causes; never their
    /// content.
    func record(_ event: CoreEvent, about peer: Peer) {
        switch event {
        case .transmissionBegan(let transmission):
            var metadata: Logger.Metadata = ["origin": "\(transmission.origin.name)"]
            if transmission.role != .talk { metadata["role"] = "\(transmission.role.rawValue)" }
            log(level: .info, "transmission began", metadata: metadata, about: peer)
        case .transmissionEnded(let transmission, let cause, _):
            let origin = transmission.origin.name
            log(
                level: .info,
                "transmission ended",
                metadata: ["origin": "\(origin)", "cause": "\(cause.rawValue)"],
                about: peer
            )
        case .transmissionRefused(let origin, let refusal):
            let reason = refusal.reason
            log(
                level: .notice,
                "transmission refused",
                metadata: ["origin": "\(origin.name)", "reason": "\(reason)"],
                about: peer
            )
        case .channelJoined(let channel, let reason):
            log(
                level: .info,
                "channel joined",
                metadata: ["name": "\(channel.name)", "reason": "\(reason.rawValue)"],
                about: peer
            )
        case .channelLeft(let reason, let explanation):
            let explanation = explanation ?? "none"
            let left: Logger.Metadata = ["reason": "\(reason.rawValue)", "explanation": "\(explanation)"]
            log(level: .info, "channel left", metadata: left, about: peer)
        case .pushFinished(let pushID, let outcome, let explanation):
            let push: Logger.Metadata = [
                "number": "\(pushID.rawValue)", "outcome": "\(outcome.rawValue)",
                "explanation": "\(explanation ?? "none")",
            ]
            log(level: .info, "push finished", metadata: push, about: peer)
        case .audioInterrupted(let interruption):
            log(
                level: .notice,
                "audio interrupted",
                metadata: ["cause": "\(interruption.rawValue)"],
                about: peer
            )
        case .audioServerReady:
            log(level: .info, "audio server connected", about: peer)
        case .audioServerLost:
            log(level: .warning, "audio server lost: start PipeWire or PulseAudio", about: peer)
        case .stateSaved:
            log(level: .info, "the channel is on disk again", about: peer)
        case .stateNotSaved(let reason):
            let line: Logger.Message =
                "the channel cannot be written to disk, and a reboot restores an earlier one"
            log(level: .error, line, metadata: ["reason": "\(reason)"], about: peer)
        case .virtualMicrophoneChanged(.unavailable(let reason)):
            log(
                level: .warning,
                "the Push-to-Talk Microphone is not available",
                metadata: ["reason": "\(reason)"],
                about: peer
            )
        case .callChanged(let call?):
            log(
                level: .info,
                "a call began",
                metadata: ["source": "\(call.source)", "name": "\(call.name)"],
                about: peer
            )
        case .callChanged(nil):
            log(level: .info, "the call has ended", about: peer)
        case .descriptorChanged, .applicationStarting, .applicationDetached, .serviceStatusChanged,
            .transmissionModeChanged, .accessoryEventsChanged, .participantChanged, .timeLimitNear,
            .audioActivating, .audioActivated, .audioDeactivated, .audioInterruptionEnded, .routeChanged,
            .channelRestored, .pushReceived, .requestAnswered, .endRefused, .accessoryPressed,
            .accessoryReleased, .buttonPressed, .buttonReleased, .virtualMicrophoneChanged, .recordersChanged,
            .microphoneChanged, .volumeChanged, .unknown:
            break
        }
    }
}
