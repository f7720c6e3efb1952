import IndicatorCore
import Invocation
import PTTMessages

/// The content of the line at the foot of `pttctl monitor`: the channel, who talks and for how long, the
/// levels, the buttons.
struct MonitorFoot {
    private var status: Status?
    private var devices: [AccessoryDevice] = []
    /// The time at which the participant began to talk, or was first seen to: microseconds of the monotonic
    /// clock.
    private var participantBegan: Int?

    /// True if a duration is shown, which grows each second.
    var isCounting: Bool { status?.transmission != nil || participantBegan != nil }

    mutating func apply(_ update: ChannelInterface.Update) {
        let previous = status?.channel?.participant
        if let status = update.status { self.status = status }
        if let event = update.event { status?.apply(event) }
        let participant = status?.channel?.participant
        if participant != previous { participantBegan = participant == nil ? nil : update.time }
    }

    mutating func apply(_ update: AccessoryInterface.Update) {
        if let devices = update.devices { self.devices = devices }
        guard let event = update.event, let device = event.device else { return }
        let index = devices.firstIndex { $0.kind == device.kind && $0.identifier == device.identifier }
        switch (event.kind == .deviceRemoved, index) {
        case (true, let index?): devices.remove(at: index)
        case (true, nil): break
        case (false, let index?): devices[index] = device
        case (false, nil): devices.append(device)
        }
    }

    /// ptt-accessoryd is lost.
    mutating func forgetDevices() {
        devices = []
    }

    /// - Parameters:
    ///   - columns: The width of the terminal. The last column stays free: in it the cursor of some terminals
    ///     waits beyond the line.
    ///   - now: Microseconds of the monotonic clock.
    ///   - levels: Nil before the first report.
    /// - Returns: The text; before the first update of the core, as in `pttctl talk`, the levels alone.
    func line(columns: Int, at now: Int, _ levels: ChannelInterface.LevelReport? = nil) -> String {
        TerminalText.line(parts(at: now, levels), columns: columns - 1)
    }

    func parts(at now: Int, _ levels: ChannelInterface.LevelReport? = nil) -> [String] {
        let level = levels.map(Wording.line) ?? ""
        guard let status else { return [level] }
        let channel = status.channel.map { shown($0.name) } ?? localized("no channel")
        return [channel] + talkers(status, now) + [level] + buttons
    }

    private func talkers(_ status: Status, _ now: Int) -> [String] {
        var talkers: [String] = []
        if let transmission = status.transmission {
            let name = shown(Wording.button(transmission.role, of: transmission.origin))
            let time = Self.duration(now - transmission.began)
            talkers.append(
                transmission.recording == nil
                    ? localized("\(name) transmits \(time)") : localized("\(name) records \(time)")
            )
        }
        if let participant = status.channel?.participant {
            let began = participantBegan.map { " " + Self.duration(now - $0) } ?? ""
            talkers.append(localized("\(shown(participant.name)) talks\(began)"))
        }
        return talkers
    }

    private var buttons: [String] {
        devices.filter { $0.link != .unused }.map { device in
            let state =
                switch device.link {
                case .away: " " + localized("away")
                case .connecting: " " + localized("connecting")
                case .ready, .unused, .unknown: device.isPressed ? " " + localized("pressed") : ""
                }
            return shown(device.name) + state + (device.battery.map { " \($0) %" } ?? "")
        }
    }

    /// A stranger's name may have characters that a terminal obeys.
    private func shown(_ name: String) -> String { DisplayText(name).text }

    /// Minutes and seconds.
    private static func duration(_ microseconds: Int) -> String {
        let seconds = max(0, microseconds) / 1_000_000
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
