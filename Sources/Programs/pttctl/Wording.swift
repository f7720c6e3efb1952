import Diagnosis
import PTTMessages
import ServiceClient

/// The text for events and states.
enum Wording {
    static func lines(_ status: Status, _ unheard: [UnheardDevice] = []) -> [String] {
        var rows = channelRows(status)
        rows.append(("transmission", status.transmission.map(transmission) ?? "none"))
        rows.append(("audio", text(status.audio)))
        if !status.isAudioServerReady {
            rows.append(("sound", "no audio server: start PipeWire or PulseAudio"))
        }
        rows += audioRows(status, unheard)
        if let failure = status.saveFailure {
            rows.append(("saved", "no, a reboot will restore an earlier channel: \(failure)"))
        }
        rows.append(("time limit", "\(status.timeLimit) s"))
        return rows.map { row($0, $1) }
    }

    /// One line of a table with a heading in the first column.
    static func row(_ heading: String, _ text: String) -> String {
        heading + String(repeating: " ", count: max(2, 14 - heading.count)) + text
    }

    static func line(_ event: AccessoryEvent) -> String {
        let named = event.device?.name ?? "?"
        // Where there is one button, it is the talk button.
        let role = event.role.flatMap { $0 == .talk ? nil : ", \(text($0))," } ?? ""
        let name = named + role
        let details = [event.value, event.remark].compactMap(\.self).joined(separator: ", ")
        let suffix = details.isEmpty ? "" : ": \(details)"
        return switch event.kind {
        case .deviceAdded: "\(name) added\(event.device.map { ", \(state($0))" } ?? "")\(suffix)"
        case .deviceChanged: "\(name) \(event.device.map(state) ?? "changed")\(suffix)"
        case .deviceRemoved: "\(name) removed\(suffix)"
        case .pressed: "\(name) pressed\(suffix)"
        case .released: "\(name) released\(suffix)"
        case .ignored: "\(name) sent an event without effect\(suffix)"
        case .batteryLow: "\(name): its battery is low\(suffix) %"
        case .coreConnected: "ptt-accessoryd connected to the core"
        case .coreLost: "ptt-accessoryd lost its connection to the core\(suffix)"
        case .unknown: "\(name): an event unknown to this pttctl\(suffix)"
        }
    }

    static func line(_ device: AccessoryDevice) -> String {
        let profile = device.profile.map { " (\($0), \(device.mode.rawValue))" } ?? ""
        let battery = device.battery.map { ", battery \($0) %" } ?? ""
        let remark = device.remark.map { ": \($0)" } ?? ""
        return "\(device.identifier)  \(device.name)\(profile)  \(state(device))\(battery)"
            + "\(lastPress(device))\(remark)"
    }

    /// Says which button was pressed last, and when. The monotonic clock stands still while the machine
    /// sleeps.
    private static func lastPress(_ device: AccessoryDevice) -> String {
        guard let time = device.lastPress else { return "" }
        let seconds = max(0, MonotonicTime.now.microseconds - time) / 1_000_000
        let age =
            seconds < 120 ? "\(seconds) s" : seconds < 7200 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
        let button = device.lastRole.flatMap { $0 == .talk ? nil : "\(text($0)) " } ?? ""
        return ", \(button)pressed \(age) ago"
    }

    /// Seconds with microseconds, right-aligned for an uptime of several days.
    static func time(_ microseconds: Int) -> String {
        let fraction = String(microseconds % 1_000_000)
        let seconds = String(microseconds / 1_000_000)
        return String(repeating: " ", count: max(0, 6 - seconds.count)) + seconds + "."
            + String(repeating: "0", count: 6 - fraction.count) + fraction
    }

    static func button(_ role: ButtonRole, of origin: Origin) -> String {
        role == .talk ? origin.name : "\(origin.name), \(text(role))"
    }

    static func text(_ role: ButtonRole) -> String {
        switch role {
        case .unknown: "a button unknown to this pttctl"
        case .talk: "talk button"
        case .emergency: "emergency button"
        case .secondTalk: "second talk button"
        case .channelUp: "channel up button"
        case .channelDown: "channel down button"
        case .multifunction: "multifunction button"
        }
    }

    private static func state(_ device: AccessoryDevice) -> String {
        switch device.link {
        case .unknown: "in a state unknown to this pttctl"
        case .away: "away"
        case .connecting: "connecting"
        case .ready: device.isPressed ? "pressed" : "ready"
        case .unused: "not used"
        }
    }
}

// The parts of a channel.
extension Wording {
    private static func channelRows(_ status: Status) -> [(String, String)] {
        guard let channel = status.channel else {
            return [("channel", withoutChannel(status.virtualMicrophone))]
        }
        var rows = [("channel", "\(channel.name), \(channel.channelID)")]
        if let image = channel.image { rows.append(("image", text(image))) }
        rows.append(("application", application(channel)))
        rows.append(("participant", channel.participant.map(participant) ?? "none"))
        rows.append(("mode", text(channel.transmissionMode)))
        rows.append(("service", text(channel.serviceStatus)))
        rows.append(("buttons", text(areAccessoryEventsEnabled: channel.areAccessoryEventsEnabled)))
        return rows
    }

    /// Says where a press goes.
    private static func withoutChannel(_ microphone: VirtualMicrophone) -> String {
        switch microphone {
        case .off, .unavailable: "none: join one with `pttctl join`, or start an application"
        case .idle:
            "none: a press is refused until an application uses the Push-to-Talk Microphone, or joins one"
        case .recorded: "none: a press talks into the Push-to-Talk Microphone"
        }
    }

    static func channel(_ channel: Channel) -> String {
        "\(channel.name), \(application(channel)), \(channel.channelID)"
    }

    static func transmission(_ transmission: Transmission) -> String {
        "\(button(transmission.role, of: transmission.origin)) (\(transmission.source.rawValue))"
    }

    static func participant(_ participant: Participant) -> String {
        participant.name + (participant.image.map { ", image \(text($0))" } ?? "")
    }

    static func text(_ image: ImageSummary) -> String { "\(image.imageID) (\(image.byteCount) bytes)" }

    static func text(_ status: ServiceStatus) -> String {
        switch status {
        case .unknown: "in a state unknown to this pttctl"
        case .ready: "ready"
        case .connecting: "connecting: no transmission can begin until it is ready"
        case .unavailable: "unavailable: no transmission can begin until it is ready"
        }
    }

    static func text(_ mode: TransmissionMode) -> String {
        switch mode {
        case .unknown: "one unknown to this pttctl"
        case .fullDuplex: "full duplex: both ends may talk at the same time"
        case .halfDuplex: "half duplex: one end talks at a time"
        case .listenOnly: "listen only"
        }
    }

    static func text(areAccessoryEventsEnabled: Bool) -> String {
        areAccessoryEventsEnabled ? "begin transmissions" : "are passed to the application"
    }

    private static func text(_ audio: AudioState) -> String {
        switch audio {
        case .unknown: "in a state unknown to this pttctl"
        case .inactive: "inactive"
        case .activating: "activating"
        case .active: "active"
        }
    }

    private static func application(_ channel: Channel) -> String {
        let identifier = channel.owner?.rawValue
        if let application = channel.application {
            let known = identifier.map { ", \($0)" } ?? ""
            return "\(application.name) (process \(application.processID)\(known))"
        }
        guard let identifier else { return "no application" }
        return channel.isApplicationStarting ? "\(identifier) is starting" : "\(identifier) is not running"
    }
}
