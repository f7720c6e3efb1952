import Glibc
import PTTMessages
import Testing

@testable import IndicatorCore

struct PanelItemTests {
    private static func status() throws -> Status {
        let channelID = try #require(ChannelID("8A1C9D6E-0000-4000-8000-000000000001"))
        return Status(
            channel: Channel(channelID: channelID, name: "Radio"),
            isAudioServerReady: true,
            timeLimit: 60
        )
    }

    private static func problem(_ change: (inout Status) -> Void) throws -> String? {
        var status = try status()
        change(&status)
        let entry = PanelItem(status).menu.first { $0.id == .problem }
        return entry?.isVisible == true ? entry?.label.english : nil
    }

    @Test func `a participant changes icon, tooltip and one entry`() throws {
        var status = try Self.status()
        let before = PanelItem(status)
        status.channel?.participant = Participant(name: "Anna")
        let item = PanelItem(status)
        #expect(item.title == before.title && item.state == before.state)
        #expect(item.icon != before.icon && item.toolTip != before.toolTip)
        #expect(item.menu.filter { !before.menu.contains($0) }.map(\.id) == [.speaker])
    }

    @Test func `an open microphone goes before a participant`() throws {
        var status = try Self.status()
        status.channel?.participant = Participant(name: "Anna")
        status.transmission = Transmission(
            transmissionID: TransmissionID(rawValue: 1),
            source: .handsfreeButton,
            origin: TalkOrigin.key.origin,
            began: 0
        )
        let item = PanelItem(status)
        #expect(item.icon == .microphoneOpen)
        #expect(item.state == .attention)
        #expect(item.menu.first { $0.id == .talk }?.isVisible == false)
        let stop = item.menu.first { $0.id == .stop }
        #expect(stop?.label == "Stop" && stop?.isVisible == true && stop?.isEnabled == true)
        #expect(item.menu.first { $0.id == .speaker }?.label == "Anna speaks")
    }

    @Test func `a click in the menu does what was shown, also when it is not so any more`() throws {
        var (indicator, _) = try IndicatorTests.joined()
        #expect(indicator.handle(.menuClicked(.stop), at: .start) == [])
        let began = Transmission(
            transmissionID: TransmissionID(rawValue: 1),
            source: .handsfreeButton,
            origin: Origin(kind: .wiredHeadset, identifier: "jack", name: "Jack"),
            began: 0
        )
        _ = indicator.handle(.core(.transmissionBegan(transmission: began)), at: .start)
        #expect(indicator.handle(.menuClicked(.talk), at: .start) == [])
    }

    @Test func `what is wrong is an entry of the menu`() throws {
        #expect(try Self.problem { _ in } == nil)
        #expect(try Self.problem { $0.isAudioServerReady = false } == "No sound server is ready")
        #expect(
            try Self.problem { $0.call = ActiveCall(source: "oFono", name: "mobile\ncall") }
                == "A call is active: mobile call"
        )
        let muted = MicrophoneState(name: "m", description: "M", isMuted: true, isSilent: false)
        #expect(try Self.problem { $0.microphone = muted } == "The microphone is muted")
        #expect(
            try Self.problem { $0.channel?.serviceStatus = .unavailable }
                == "The application has no connection to its servers"
        )
        #expect(
            try Self.problem { $0.saveFailure = "/x: full" }
                == "The channel cannot be saved for the next start"
        )
    }

    @Test(arguments: [
        ([], "A program"), (["Mumble"], "Mumble"), (["Mumble", "OBS"], "Mumble and OBS"),
        (["Mumble", "OBS", "Firefox"], "3 programs"),
    ]) func `in a call the item says which programs hear`(programs: [String], names: String) {
        var status = Status(
            isAudioServerReady: true,
            timeLimit: 60,
            virtualMicrophone: .recorded(by: programs)
        )
        let verb = programs.count > 1 ? "hear" : "hears"
        let idle = PanelItem(status)
        #expect(idle.title == "Push to talk")
        #expect(idle.state == .active && idle.icon == .idle)
        #expect(idle.toolTip == "\(names) \(verb) silence")
        #expect(idle.menu.first { $0.id == .speaker }?.label == "\(names) \(verb) silence")
        #expect(idle.menu.first { $0.id == .talk }?.isEnabled == true)
        #expect(idle.menu.first { $0.id == .leave }?.isEnabled == false)
        status.transmission = Transmission(
            transmissionID: TransmissionID(rawValue: 1),
            source: .handsfreeButton,
            origin: TalkOrigin.key.origin,
            began: 0
        )
        let open = PanelItem(status)
        #expect(open.state == .attention && open.icon == .microphoneOpen)
        #expect(open.toolTip == "The microphone is open: \(names) \(verb) you")
    }

    @Test(arguments: [VirtualMicrophone.off, .idle, .unavailable(reason: "no server")])
    func `without a channel and a call the item is passive, and nothing is to click`(
        microphone: VirtualMicrophone
    ) {
        let item = PanelItem(Status(timeLimit: 60, virtualMicrophone: microphone))
        #expect(item.state == .passive)
        #expect(item.menu.allSatisfy { !$0.isEnabled })
    }

    @Test func `the menu has the same entries in every state`() throws {
        var speaking = try Self.status()
        speaking.channel?.participant = Participant(name: "Anna")
        let items = [
            PanelItem(nil), PanelItem(Status(timeLimit: 1)), PanelItem(speaking, message: Text("no")),
        ]
        #expect(Set(items.map { $0.menu.map(\.id) }).count == 1)
    }

    @Test(arguments: PanelIcon.sizes)
    func `red is the disc of the open microphone alone`(size: Int) {
        for icon in PanelIcon.allCases {
            let rgba = icon.rgba(size: size)
            #expect(rgba.count == size * size * 4)
            // Left of the microphone.
            let start = (size / 2 * size + size / 7) * 4
            let pixel = Array(rgba[start..<start + 4])
            #expect(pixel == [icon.colour.red, icon.colour.green, icon.colour.blue, 0xFF])
            // The corner is transparent.
            #expect(rgba[3] == 0)
        }
    }

    /// The WCAG 2.2 ask for 3:1 between parts of a picture that must be told apart (1.4.11).
    @Test(arguments: PanelIcon.sizes)
    func `the states differ in shape, and their shapes have contrast`(size: Int) {
        let shapes = PanelIcon.allCases.map { icon in
            let rgba = icon.rgba(size: size)
            return (0..<size * size).map { rgba[$0 * 4 + 3] > 0 && rgba[$0 * 4..<$0 * 4 + 3].min()! > 0xC0 }
        }
        for (index, shape) in shapes.enumerated() {
            for other in shapes[..<index] {
                let different = zip(shape, other).count { $0 != $1 }
                #expect(different * 20 > size * size, "\(different) of \(size * size) pixels")
            }
        }
        for icon in PanelIcon.allCases {
            let colour = icon.colour
            let parts = [colour.red, colour.green, colour.blue].map(Self.linear)
            let luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
            #expect(1.05 / (luminance + 0.05) > 3)
        }
    }

    /// A channel of sRGB as light (WCAG 2.2, "relative luminance").
    private static func linear(_ value: UInt8) -> Double {
        let part = Double(value) / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
}
