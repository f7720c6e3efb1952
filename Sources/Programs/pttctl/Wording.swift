import Invocation
import PTTMessages
import ServiceClient

/// The text for events and states.
enum Wording {
    static func lines(_ status: Status, _ unheard: [UnheardDevice] = []) -> [String] {
        var rows = channelRows(status)
        rows.append((localized("transmission"), status.transmission.map(transmission) ?? localized("none")))
        rows.append((localized("audio"), text(status.audio)))
        if !status.isAudioServerReady {
            rows.append((localized("sound"), localized("no audio server: start PipeWire or PulseAudio")))
        }
        rows += audioRows(status, unheard)
        if let failure = status.saveFailure {
            rows.append(
                (localized("saved"), localized("no, a reboot will restore an earlier channel: \(failure)"))
            )
        }
        rows.append((localized("time limit"), "\(status.timeLimit) s"))
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
        case .deviceAdded:
            localized("\(name) added\(event.device.map { ", \(state($0))" } ?? "")\(suffix)")
        case .deviceChanged: "\(name) \(event.device.map(state) ?? localized("changed"))\(suffix)"
        case .deviceRemoved: localized("\(name) removed\(suffix)")
        case .pressed: localized("\(name) pressed\(suffix)")
        case .released: localized("\(name) released\(suffix)")
        case .ignored: localized("\(name) sent an event without effect\(suffix)")
        case .batteryLow: localized("\(name): its battery is low\(suffix) %")
        case .coreConnected: localized("ptt-accessoryd connected to the core")
        case .coreLost: localized("ptt-accessoryd lost its connection to the core\(suffix)")
        case .unknown: localized("\(name): an event unknown to this pttctl\(suffix)")
        }
    }

    static func line(_ event: ActionInterface.Event) -> String {
        let button = event.role == .talk ? event.name : "\(event.name), \(text(event.role)),"
        let suffix = event.remark.map { ": \($0)" } ?? ""
        return switch event.kind {
        case .began: localized("\(button) runs \(event.command)\(suffix)")
        case .ended: localized("\(button) has ended \(event.command)\(suffix)")
        case .unknown: localized("\(button): an event unknown to this pttctl\(suffix)")
        }
    }

    static func line(_ device: AccessoryDevice) -> String {
        let profile = device.profile.map { " (\($0), \(device.mode.rawValue))" } ?? ""
        let battery = device.battery.map { localized(", battery \($0) %") } ?? ""
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
        return localized(", \(button)pressed \(age) ago")
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
        case .unknown: localized("a button unknown to this pttctl")
        case .talk: localized("talk button")
        case .emergency: localized("emergency button")
        case .secondTalk: localized("second talk button")
        case .channelUp: localized("channel up button")
        case .channelDown: localized("channel down button")
        case .multifunction: localized("multifunction button")
        }
    }

    private static func state(_ device: AccessoryDevice) -> String {
        switch device.link {
        case .unknown: localized("in a state unknown to this pttctl")
        case .away: localized("away")
        case .connecting: localized("connecting")
        case .ready: device.isPressed ? localized("pressed") : localized("ready")
        case .unused: localized("not used")
        }
    }
}

// The parts of a channel.
extension Wording {
    private static func channelRows(_ status: Status) -> [(String, String)] {
        guard let channel = status.channel else {
            return [(localized("channel"), withoutChannel(status.virtualMicrophone))]
        }
        var rows = [(localized("channel"), "\(channel.name), \(channel.channelID)")]
        if let image = channel.image { rows.append((localized("image"), text(image))) }
        rows.append((localized("application"), application(channel)))
        rows.append((localized("participant"), channel.participant.map(participant) ?? localized("none")))
        rows.append((localized("mode"), text(channel.transmissionMode)))
        rows.append((localized("service"), text(channel.serviceStatus)))
        rows.append(
            (localized("buttons"), text(areAccessoryEventsEnabled: channel.areAccessoryEventsEnabled))
        )
        return rows
    }

    /// Says where a press goes.
    private static func withoutChannel(_ microphone: VirtualMicrophone) -> String {
        switch microphone {
        case .off, .unavailable: localized("none: join one with `pttctl join`, or start an application")
        case .idle:
            localized(
                "none: a press is refused until an application uses the Push-to-Talk Microphone, or joins one"
            )
        case .recorded: localized("none: a press talks into the Push-to-Talk Microphone")
        }
    }

    static func channel(_ channel: Channel) -> String {
        "\(channel.name), \(application(channel)), \(channel.channelID)"
    }

    static func transmission(_ transmission: Transmission) -> String {
        let latch = transmission.latched == nil ? "" : localized(", until its next press")
        let recording = transmission.recording == nil ? "" : localized(", a recording")
        return
            "\(button(transmission.role, of: transmission.origin)) (\(transmission.source.rawValue))\(latch)\(recording)"
    }

    static func participant(_ participant: Participant) -> String {
        participant.name + (participant.image.map { localized(", image \(text($0))") } ?? "")
    }

    static func text(_ image: ImageSummary) -> String {
        localized("\(image.imageID) (\(image.byteCount) bytes)")
    }

    static func text(_ status: ServiceStatus) -> String {
        switch status {
        case .unknown: localized("in a state unknown to this pttctl")
        case .ready: localized("ready")
        case .connecting: localized("connecting: no transmission can begin until it is ready")
        case .unavailable: localized("unavailable: no transmission can begin until it is ready")
        }
    }

    static func text(_ mode: TransmissionMode) -> String {
        switch mode {
        case .unknown: localized("one unknown to this pttctl")
        case .fullDuplex: localized("full duplex: both ends may talk at the same time")
        case .halfDuplex: localized("half duplex: one end talks at a time")
        case .listenOnly: localized("listen only")
        }
    }

    static func text(areAccessoryEventsEnabled: Bool) -> String {
        areAccessoryEventsEnabled
            ? localized("begin transmissions") : localized("are passed to the application")
    }

    private static func text(_ audio: AudioState) -> String {
        switch audio {
        case .unknown: localized("in a state unknown to this pttctl")
        case .inactive: localized("inactive")
        case .activating: localized("activating")
        case .active: localized("active")
        }
    }

    private static func application(_ channel: Channel) -> String {
        let identifier = channel.owner?.rawValue
        if let application = channel.application {
            let known = identifier.map { ", \($0)" } ?? ""
            return localized("\(application.name) (process \(application.processID)\(known))")
        }
        guard let identifier else { return localized("no application") }
        return channel.isApplicationStarting
            ? localized("\(identifier) is starting") : localized("\(identifier) is not running")
    }
}
