import Logging
import PTTMessages

extension Logger {
    /// Each beginning and end, with source and cause, and nothing that could be heard.
    func record(_ event: CoreEvent) {
        switch event {
        case .transmissionBegan(let transmission):
            info("transmission began", metadata: ["origin": "\(transmission.origin.name)"])
        case .transmissionEnded(let transmission, let cause, _):
            let origin = transmission.origin.name
            info("transmission ended", metadata: ["origin": "\(origin)", "cause": "\(cause.rawValue)"])
        case .transmissionRefused(let origin, let refusal):
            let reason = refusal.reason
            notice("transmission refused", metadata: ["origin": "\(origin.name)", "reason": "\(reason)"])
        case .channelJoined(let channel, let reason):
            info("channel joined", metadata: ["name": "\(channel.name)", "reason": "\(reason.rawValue)"])
        case .channelLeft(let reason, let explanation):
            end("channel left", ["reason": "\(reason.rawValue)"], explanation)
        case .pushFinished(let pushID, let outcome, let explanation):
            let push: Metadata = ["number": "\(pushID.rawValue)", "outcome": "\(outcome.rawValue)"]
            end("push finished", push, explanation)
        case .audioInterrupted(let interruption):
            notice("audio interrupted", metadata: ["cause": "\(interruption.rawValue)"])
        case .audioServerReady:
            info("audio server connected")
        case .audioServerLost:
            warning("audio server lost: start PipeWire or PulseAudio")
        case .stateSaved:
            info("the channel is on disk again")
        case .stateNotSaved(let reason):
            let line = "the channel cannot be written to disk, and a reboot will find an earlier one"
            error("\(line)", metadata: ["reason": "\(reason)"])
        case .descriptorChanged, .applicationStarting, .applicationDetached, .serviceStatusChanged,
            .transmissionModeChanged, .accessoryEventsChanged, .participantChanged, .timeLimitNear,
            .audioActivating, .audioActivated, .audioDeactivated, .audioInterruptionEnded, .routeChanged,
            .pushReceived, .requestAnswered, .endRefused, .accessoryPressed, .accessoryReleased, .unknown:
            break
        }
    }

    private func end(_ message: Message, _ metadata: Metadata, _ explanation: String?) {
        info(message, metadata: metadata.merging(["explanation": "\(explanation ?? "none")"]) { $1 })
    }
}
