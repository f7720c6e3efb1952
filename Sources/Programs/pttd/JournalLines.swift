import Journal
import Logging
import PTTMessages

extension RateLimitedLog {
    /// Each beginning and end, with source and cause, and nothing that could be heard.
    func record(_ event: CoreEvent, about peer: Peer) {
        switch event {
        case .transmissionBegan(let transmission):
            tell(peer, .info, "transmission began", metadata: ["origin": "\(transmission.origin.name)"])
        case .transmissionEnded(let transmission, let cause, _):
            let origin = transmission.origin.name
            tell(
                peer,
                .info,
                "transmission ended",
                metadata: ["origin": "\(origin)", "cause": "\(cause.rawValue)"]
            )
        case .transmissionRefused(let origin, let refusal):
            let reason = refusal.reason
            tell(
                peer,
                .notice,
                "transmission refused",
                metadata: ["origin": "\(origin.name)", "reason": "\(reason)"]
            )
        case .channelJoined(let channel, let reason):
            tell(
                peer,
                .info,
                "channel joined",
                metadata: ["name": "\(channel.name)", "reason": "\(reason.rawValue)"]
            )
        case .channelLeft(let reason, let explanation):
            end(peer, "channel left", ["reason": "\(reason.rawValue)"], explanation)
        case .pushFinished(let pushID, let outcome, let explanation):
            let push: Logger.Metadata = ["number": "\(pushID.rawValue)", "outcome": "\(outcome.rawValue)"]
            end(peer, "push finished", push, explanation)
        case .audioInterrupted(let interruption):
            tell(peer, .notice, "audio interrupted", metadata: ["cause": "\(interruption.rawValue)"])
        case .audioServerReady:
            tell(peer, .info, "audio server connected")
        case .audioServerLost:
            tell(peer, .warning, "audio server lost: start PipeWire or PulseAudio")
        case .stateSaved:
            tell(peer, .info, "the channel is on disk again")
        case .stateNotSaved(let reason):
            let line: Logger.Message =
                "the channel cannot be written to disk, and a reboot will find an earlier one"
            tell(peer, .error, line, metadata: ["reason": "\(reason)"])
        case .descriptorChanged, .applicationStarting, .applicationDetached, .serviceStatusChanged,
            .transmissionModeChanged, .accessoryEventsChanged, .participantChanged, .timeLimitNear,
            .audioActivating, .audioActivated, .audioDeactivated, .audioInterruptionEnded, .routeChanged,
            .channelRestored, .pushReceived, .requestAnswered, .endRefused, .accessoryPressed,
            .accessoryReleased, .unknown:
            break
        }
    }

    private func end(
        _ peer: Peer,
        _ message: Logger.Message,
        _ metadata: Logger.Metadata,
        _ explanation: String?
    ) {
        let explained = metadata.merging(["explanation": "\(explanation ?? "none")"]) { $1 }
        tell(peer, .info, message, metadata: explained)
    }

    private func tell(
        _ peer: Peer,
        _ level: Logger.Level,
        _ message: Logger.Message,
        metadata: Logger.Metadata? = nil
    ) {
        log(level: level, message, metadata: metadata, about: peer)
    }
}
