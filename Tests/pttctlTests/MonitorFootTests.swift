import PTTMessages
import Testing

@testable import pttctl

@Suite struct MonitorFootTests {
    private let second = 1_000_000
    private let channel = Channel(channelID: ChannelID(randomBytes: (1, 2)), name: "Ops", owner: nil)
    private let origin = Origin(kind: .bluetoothButton, identifier: "F0:F1", name: "Left hand")

    private func update(at time: Int, _ status: Status? = nil, _ event: CoreEvent? = nil)
        -> ChannelInterface.Update
    {
        ChannelInterface.Update(sequence: 0, time: time, status: status, event: event)
    }

    private func button(_ name: String, _ link: LinkState = .ready, battery: Int? = nil) -> AccessoryDevice {
        AccessoryDevice(
            kind: .bluetoothButton,
            identifier: name,
            name: name,
            profile: nil,
            mode: .hold,
            link: link,
            isPressed: false,
            remark: nil,
            battery: battery
        )
    }

    private func devices(_ devices: [AccessoryDevice]? = nil, _ event: AccessoryEvent? = nil)
        -> AccessoryInterface.Update
    {
        AccessoryInterface.Update(sequence: 0, time: 0, devices: devices, event: event)
    }

    @Test func `it is empty before the status, and shows that there is no channel`() {
        var foot = MonitorFoot()
        #expect(foot.line(columns: 80, at: 0) == "")
        foot.apply(update(at: 0, Status(timeLimit: 60)))
        #expect(foot.line(columns: 80, at: 0) == "no channel")
        #expect(!foot.isCounting)
    }

    @Test func `who transmits and who talks have their durations`() {
        var foot = MonitorFoot()
        foot.apply(update(at: 0, Status(channel: channel, timeLimit: 60)))
        let transmission = Transmission(
            transmissionID: TransmissionID(rawValue: 1),
            source: .handsfreeButton,
            origin: origin,
            began: 10 * second
        )
        foot.apply(update(at: 10 * second, nil, .transmissionBegan(transmission: transmission)))
        #expect(foot.isCounting)
        #expect(foot.line(columns: 80, at: 22 * second) == "Ops  │  Left hand transmits 0:12")
        foot.apply(
            update(
                at: 20 * second,
                nil,
                .transmissionEnded(transmission: transmission, cause: .released, endedBy: .handsfreeButton)
            )
        )
        #expect(!foot.isCounting)
        foot.apply(
            update(
                at: 30 * second,
                nil,
                .participantChanged(participant: Participant(name: "Ann", image: nil))
            )
        )
        #expect(foot.line(columns: 80, at: 95 * second) == "Ops  │  Ann talks 1:05")
        foot.apply(update(at: 96 * second, nil, .channelLeft(leaveReason: .userRequest, explanation: nil)))
        #expect(foot.line(columns: 80, at: 96 * second) == "no channel")
        #expect(!foot.isCounting)
    }

    @Test func `levels and buttons follow, and go with what they belong to`() {
        var foot = MonitorFoot()
        foot.apply(update(at: 0, Status(channel: channel, timeLimit: 60)))
        foot.apply(devices([button("Left", battery: 80), button("Right", .away), button("Old", .unused)]))
        #expect(foot.parts(at: 0) == ["Ops", "", "Left 80 %", "Right away"])
        let silence = ChannelInterface.LevelReport(microphone: nil, speaker: nil)
        let speech = ChannelInterface.LevelReport(microphone: -18, speaker: nil)
        #expect(foot.parts(at: 0, silence) == foot.parts(at: 0))
        #expect(foot.parts(at: 0, speech)[1].hasPrefix("microphone ▮"))
        foot.apply(devices(nil, AccessoryEvent(.deviceChanged, device: button("Left", .connecting))))
        foot.apply(devices(nil, AccessoryEvent(.deviceRemoved, device: button("Right"))))
        foot.apply(devices(nil, AccessoryEvent(.deviceAdded, device: button("New"))))
        foot.apply(devices(nil, AccessoryEvent(.deviceRemoved, device: button("Never seen"))))
        #expect(foot.parts(at: 0) == ["Ops", "", "Left connecting", "New"])
        foot.forgetDevices()
        #expect(foot.line(columns: 80, at: 0) == "Ops")
    }

    @Test(arguments: 0...40) func `it is never wider than the window, whatever is in the names`(columns: Int)
    {
        var foot = MonitorFoot()
        var channel = channel
        channel.name = "\u{1B}[2J\r\n作戦 🚒 e\u{301}\u{202E}x"
        channel.participant = Participant(name: String(repeating: "界", count: 100), image: nil)
        foot.apply(update(at: 0, Status(channel: channel, timeLimit: 60)))
        let line = foot.line(columns: columns, at: 0)
        #expect(TerminalText.columns(line) < max(1, columns), "\(line)")
        #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        #expect(!line.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `what does not fit is cut, the least important first`() {
        let parts = ["Ops", "Ann talks 0:05", "Left 80 %"]
        #expect(TerminalText.line(parts, columns: 80) == "Ops  │  Ann talks 0:05  │  Left 80 %")
        #expect(TerminalText.line(parts, columns: 30) == "Ops  │  Ann talks 0:05  │  Le…")
        #expect(TerminalText.line(parts, columns: 25) == "Ops  │  Ann talks 0:05…")
        #expect(TerminalText.line(parts, columns: 2) == "O…")
        #expect(TerminalText.line(parts, columns: 0) == "")
    }
}
