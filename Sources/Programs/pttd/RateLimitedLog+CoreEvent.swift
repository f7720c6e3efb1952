import Journal
import Logging
import PTTMessages

extension RateLimitedLog {
    /// Logs the beginnings and ends of transmissions, channels and pushes with their causes; never their
    /// content.
    func record(_ event: CoreEvent, about peer: Peer) {
        guard let (level, message, metadata) = Self.line(of: event) else { return }
        log(level: level, message, metadata: metadata, about: peer)
    }

    private static func line(of event: CoreEvent) -> (Logger.Level, Logger.Message, Logger.Metadata?)? {
        switch event {
        case .transmissionBegan(let transmission):
            var metadata: Logger.Metadata = ["origin": "\(transmission.origin.name)"]
            if transmission.role != .talk { metadata["role"] = "\(transmission.role.rawValue)" }
            let kind: Logger.Message = event.isOfRecording ? "recording began" : "transmission began"
            return (.info, kind, metadata)
        case .transmissionEnded(let transmission, let cause, _):
            let origin = transmission.origin.name
            let kind: Logger.Message = event.isOfRecording ? "recording ended" : "transmission ended"
            return (.info, kind, ["origin": "\(origin)", "cause": "\(cause.rawValue)"])
        case .transmissionRefused(let origin, let refusal):
            let reason = refusal.reason
            return (.notice, "transmission refused", ["origin": "\(origin.name)", "reason": "\(reason)"])
        case .channelJoined(let channel, let reason):
            return (.info, "channel joined", ["name": "\(channel.name)", "reason": "\(reason.rawValue)"])
        case .channelLeft(let reason, let explanation):
            let explanation = explanation ?? "none"
            let left: Logger.Metadata = ["reason": "\(reason.rawValue)", "explanation": "\(explanation)"]
            return (.info, "channel left", left)
        case .pushFinished(let pushID, let outcome, let explanation):
            let push: Logger.Metadata = [
                "number": "\(pushID.rawValue)", "outcome": "\(outcome.rawValue)",
                "explanation": "\(explanation ?? "none")",
            ]
            return (.info, "push finished", push)
        case .audioInterrupted(let interruption):
            return (.notice, "audio interrupted", ["cause": "\(interruption.rawValue)"])
        case .audioServerReady:
            return (.info, "audio server connected", nil)
        case .audioServerLost:
            return (.warning, "audio server lost: start PipeWire or PulseAudio", nil)
        case .stateSaved:
            return (.info, "the channel is on disk again", nil)
        case .stateNotSaved(let reason):
            let line: Logger.Message =
                "the channel cannot be written to disk, and a reboot restores an earlier one"
            return (.error, line, ["reason": "\(reason)"])
        case .virtualMicrophoneChanged(.unavailable(let reason)):
            return (.warning, "the Push-to-Talk Microphone is not available", ["reason": "\(reason)"])
        case .callChanged(let call?):
            return (.info, "a call began", ["source": "\(call.source)", "name": "\(call.name)"])
        case .callChanged(nil):
            return (.info, "the call has ended", nil)
        case .descriptorChanged, .applicationStarting, .applicationDetached, .serviceStatusChanged,
            .transmissionModeChanged, .accessoryEventsChanged, .participantChanged, .transmissionLatched,
            .timeLimitNear,
            .audioActivating, .audioActivated, .audioDeactivated, .audioInterruptionEnded, .routeChanged,
            .channelRestored, .pushReceived, .requestAnswered, .endRefused, .accessoryPressed,
            .accessoryReleased, .buttonPressed, .buttonReleased, .virtualMicrophoneChanged, .recordersChanged,
            .microphoneChanged, .volumeChanged, .unknown:
            return nil
        }
    }
}
