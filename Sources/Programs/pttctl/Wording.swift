import PTTMessages

/// What events and states are called in front of people.
enum Wording {
    static func line(_ status: Status) -> String {
        var lines = ["channel       " + channel(status.channel)]
        lines.append("transmission  " + (status.transmission.map(transmission) ?? "none"))
        lines.append("audio         \(status.audio.rawValue)")
        if !status.isAudioServerReady {
            lines.append("microphone    no audio server: start PipeWire or PulseAudio")
        }
        lines.append("time limit    \(status.timeLimit) s")
        return lines.joined(separator: "\n")
    }

    static func line(_ event: CoreEvent) -> String {
        switch event {
        case .channelJoined(let joined): "joined \(channel(joined))"
        case .descriptorChanged(let name): "channel renamed to \(name)"
        case .applicationDetached: "the application has gone; the channel stays joined"
        case .channelLeft: "left the channel"
        case .transmissionBegan(let began): "transmission began: \(transmission(began))"
        case .transmissionEnded(let ended, let cause):
            "transmission ended: \(ended.origin.name), \(words(cause))"
        case .transmissionRefused(let origin, let refusal):
            "transmission refused: \(origin.name), \(refusal.reason) (\(refusal.code.rawValue))"
        case .timeLimitNear(let secondsLeft): "the time limit ends this transmission in \(secondsLeft) s"
        case .audioActivating: "microphone opening"
        case .audioActivated: "audio active"
        case .audioDeactivated: "audio inactive, microphone closed"
        case .audioServerReady: "audio server connected"
        case .audioServerLost: "audio server lost"
        case .unknown(let kind): "\(kind) (not known to this pttctl)"
        }
    }

    static func line(_ event: AccessoryEvent) -> String {
        let name = event.device?.name ?? "?"
        let details = [event.value, event.remark].compactMap(\.self).joined(separator: ", ")
        let suffix = details.isEmpty ? "" : ": \(details)"
        return switch event.kind {
        case .deviceAdded: "\(name) added\(event.device.map { ", \(state($0))" } ?? "")\(suffix)"
        case .deviceChanged: "\(name) \(event.device.map(state) ?? "changed")\(suffix)"
        case .deviceRemoved: "\(name) removed\(suffix)"
        case .pressed: "\(name) pressed\(suffix)"
        case .released: "\(name) released\(suffix)"
        case .ignored: "\(name) sent something without effect\(suffix)"
        case .coreConnected: "bridge reached the core"
        case .coreLost: "bridge lost the core\(suffix)"
        case .unknown: "\(name): something this pttctl does not know\(suffix)"
        }
    }

    static func line(_ device: AccessoryDevice) -> String {
        let profile = device.profile.map { " (\($0), \(device.mode.rawValue))" } ?? ""
        let remark = device.remark.map { ": \($0)" } ?? ""
        return "\(device.identifier)  \(device.name)\(profile)  \(state(device))\(remark)"
    }

    /// Seconds with microseconds, right-aligned for a day of uptime.
    static func time(_ microseconds: Int) -> String {
        let fraction = String(microseconds % 1_000_000)
        let seconds = String(microseconds / 1_000_000)
        return String(repeating: " ", count: max(0, 6 - seconds.count)) + seconds + "."
            + String(repeating: "0", count: 6 - fraction.count) + fraction
    }

    private static func state(_ device: AccessoryDevice) -> String {
        switch device.link {
        case .unknown: "in a state this pttctl does not know"
        case .away: "away"
        case .connecting: "connecting"
        case .ready: device.isPressed ? "pressed" : "ready"
        case .unused: "not used"
        }
    }

    private static func channel(_ channel: Channel?) -> String {
        guard let channel else { return "none: join one with `pttctl join`" }
        let application =
            channel.application.map { "\($0.name) (process \($0.processID))" } ?? "no application"
        return "\(channel.name), \(application), \(channel.channelID)"
    }

    private static func transmission(_ transmission: Transmission) -> String {
        "\(transmission.origin.name) (\(transmission.source.rawValue))"
    }

    private static func words(_ cause: EndCause) -> String {
        switch cause {
        case .unknown: "for a reason this pttctl does not know"
        case .released: "released"
        case .stopped: "stopped"
        case .timeLimit: "the time limit was reached; release the button before the next press"
        case .connectionLost: "its connection closed"
        case .applicationGone: "the application has gone"
        case .channelLeft: "the channel was left"
        case .linkLost: "the radio link was lost"
        case .deviceRemoved: "the device was removed"
        case .audioServerLost: "the audio server was lost"
        case .microphoneLost: "the microphone was lost"
        case .suspended: "the machine goes to sleep"
        case .sessionLocked: "the session was locked"
        case .shuttingDown: "the core is shutting down"
        }
    }
}
