import DBus
import EventLoop
import IndicatorCore
import PTTMessages
import TestSupport
import Testing

/// The tray item of the built indicator, as a panel sees it.
@Suite(.timeLimit(.minutes(2)))
struct PanelTests {
    init() { withRunningLoop() }

    /// On the disc beside the microphone.
    private static func disc(_ properties: [BusKey: BusValue]) -> [UInt8]? {
        ShownPixmap(properties["IconPixmap"])?.pixel(3, 11)
    }

    @Test @EventLoop func `a panel finds all properties of the item, with their types`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        let properties = try await fixture.panel.properties()
        let types = properties.mapValues(\.signature)
        #expect(
            types == [
                "Category": "s", "Id": "s", "Title": "s", "Status": "s", "WindowId": "i", "IconName": "s",
                "IconThemePath": "s", "IconPixmap": "a(iiay)", "OverlayIconName": "s",
                "OverlayIconPixmap": "a(iiay)", "AttentionIconName": "s", "AttentionIconPixmap": "a(iiay)",
                "AttentionMovieName": "s", "ToolTip": "(sa(iiay)ss)", "ItemIsMenu": "b", "Menu": "o",
                "IconAccessibleDesc": "s", "AttentionAccessibleDesc": "s",
            ]
        )
        #expect(properties["Category"]?.asString == "Communications")
        #expect(properties["Id"]?.asString == "org.pushtotalk.Indicator")
        #expect(properties["ItemIsMenu"]?.asBool == false)
        #expect(properties["Menu"]?.asObjectPath == "/MenuBar")
        #expect(properties["IconName"]?.asString == "")
        let sizes = properties["IconPixmap"]?.asArray?.map { $0.asStructure?.first?.asInt }
        #expect(sizes == [22, 44])
    }

    @Test @EventLoop func `a click on Talk opens the microphone, and the icon is red until Stop`()
        async throws
    {
        let fixture = try await IndicatorFixture.start()
        let panel = fixture.panel

        #expect(try await panel.click(4) == [.array(of: "i", [])])
        #expect(try await fixture.nextBegin().identifier == "org.pushtotalk.Indicator.panel")
        #expect(try await panel.signal("NewStatus").arguments == [.string("NeedsAttention")])
        let updated = try await panel.signal("ItemsPropertiesUpdated").arguments
        #expect(try panel.entries(updated[0].asArray).keys.sorted() == [4, 8])
        let open = try await panel.properties()
        #expect(Self.disc(open) == [0xFF, 0xD9, 0x1E, 0x2A])
        for name: BusKey in ["IconAccessibleDesc", "AttentionAccessibleDesc"] {
            #expect(open[name]?.asString == "The microphone is open")
        }
        // What GNOME's extension has read out of an item that needs attention.
        #expect(open["Title"]?.asString == "The microphone is open")
        #expect(open["ToolTip"]?.asStructure?.last?.asString == "The microphone is open")
        let menu = try await panel.layout()
        #expect(menu[8]?["label"]?.asString == "Stop" && menu[8]?["visible"]?.asBool == true)
        #expect(menu[4]?["visible"]?.asBool == false)

        try await panel.click(8)
        #expect(try await fixture.nextEnd() == .stopped)
        try await panel.signal("NewTitle")
        #expect(try await panel.signal("NewStatus").arguments == [.string("Active")])
        let closed = try await panel.properties()
        #expect(Self.disc(closed) == [0xFF, 0x6B, 0x72, 0x7C])
        #expect(closed["Title"]?.asString == "Radio")
    }

    @Test @EventLoop func `a left click toggles the transmission`() async throws {
        let fixture = try await IndicatorFixture.start()
        try await fixture.panel.callItem("Activate", .int32(16), .int32(584))
        _ = try await fixture.nextBegin()
        try await fixture.panel.signal("NewStatus")
        try await fixture.panel.callItem("Activate", .int32(16), .int32(584))
        #expect(try await fixture.nextEnd() == .stopped)
    }

    @Test @EventLoop func `the single form of a click counts as the group form does`() async throws {
        let fixture = try await IndicatorFixture.start()
        let panel = fixture.panel
        #expect(try await panel.call("AboutToShow", .int32(0)) == [.boolean(false)])
        _ = try await panel.call("Event", .int32(4), .string("clicked"), .variant(.int32(0)), .uint32(1))
        _ = try await fixture.nextBegin()
    }

    @Test @EventLoop func `Leave leaves the channel, and the indicator ends`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        try await fixture.panel.click(5)
        #expect(try await fixture.panel.signal("NewStatus").arguments == [.string("Passive")])
        #expect(try await fixture.indicator.exitStatus() == 0)
    }

    @Test @EventLoop func `the indicator's death ends the transmission of its Talk`() async throws {
        let fixture = try await IndicatorFixture.start()
        try await fixture.panel.click(4)
        _ = try await fixture.nextBegin()
        fixture.indicator.kill()
        #expect(try await fixture.nextEnd() == .connectionLost)
    }

    @Test @EventLoop func `a panel that is killed ends the transmission of its Talk, and shows the next`()
        async throws
    {
        let fixture = try await IndicatorFixture.start()
        try await fixture.panel.click(4)
        _ = try await fixture.nextBegin()
        fixture.panel.crash()
        #expect(try await fixture.nextEnd() == .released)

        let next = try await ScriptedPanel.start(fixture.bus.address)
        try await next.registration()
        #expect(try await next.properties()["Title"]?.asString == "Radio")
        try await next.click(4)
        _ = try await fixture.nextBegin()
    }

    @Test @EventLoop func `a panel that answers late, because it hung, is there`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        fixture.panel.crash()
        let next = try await ScriptedPanel.start(fixture.bus.address, registration: .late)
        try await next.registration()
        _ = try await fixture.indicator.lines.first { $0.contains("no answer") }
        next.goOn()
        try await fixture.isSeen()
    }

    @Test @EventLoop func `a panel that refused the item is there once it has accepted it`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        fixture.panel.crash()
        let next = try await ScriptedPanel.start(fixture.bus.address, registration: .refused)
        _ = try await fixture.indicator.lines.first { $0.contains("the panel does not show the channel") }
        try next.setHost(true)
        try await next.registration()
        try await fixture.isSeen()
    }

    @Test @EventLoop func `a watcher that loses its panel ends the transmission as well`() async throws {
        let fixture = try await IndicatorFixture.start()
        try await fixture.panel.click(4)
        _ = try await fixture.nextBegin()
        try fixture.panel.setHost(false)
        #expect(try await fixture.nextEnd() == .released)
    }

    @Test(arguments: ["org.kde.StatusNotifierHost-4711", "org.kde.plasmashell"]) @EventLoop
    func `a host that is killed ends the transmission, although its watcher says that it is there`(
        name: String
    )
        async throws
    {
        let fixture = try await IndicatorFixture.start()
        try await fixture.panel.startHost(fixture.bus.address, name)
        // The indicator looks for the hosts of its watcher when one is registered.
        let before = fixture.panel.questions
        try fixture.panel.setHost(true)
        try await until { fixture.panel.questions > before }
        try await fixture.panel.click(4)
        _ = try await fixture.nextBegin()
        fixture.panel.crashHost()
        #expect(try await fixture.nextEnd() == .released)

        try await fixture.panel.startHost(fixture.bus.address, PanelHosts.plasma)
        try await fixture.isSeen()
        try await fixture.panel.click(4)
        _ = try await fixture.nextBegin()
        fixture.panel.crashHost()
        #expect(try await fixture.nextEnd() == .released)
    }

    @Test @EventLoop
    func `a screen that is locked ends the transmission of the panel, not that of a program`()
        async throws
    {
        let system = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(system.address)
        let fixture = try await IndicatorFixture.start(systemBus: system.address)
        try await fixture.panel.click(4)
        _ = try await fixture.nextBegin()
        try logind.change("mine", isLocked: true)
        #expect(try await fixture.nextEnd() == .released)
        try await fixture.isNotRecorded()

        // A click there, for which no locker has a place, begins nothing.
        try await fixture.panel.click(4)
        try await fixture.begin()
        #expect(try await fixture.nextBegin().identifier == "test")
        try logind.change("mine", isLocked: false)
        _ = try await fixture.indicator.lines.first { $0.contains("screenLocked(false)") }
        try logind.change("mine", isLocked: true)
        _ = try await fixture.indicator.lines.first { $0.contains("screenLocked(true)") }
        #expect(try await fixture.status().transmission != nil)
    }

    @Test @EventLoop func `a bus that ends ends the transmission, and the item is on the next bus`()
        async throws
    {
        let fixture = try await IndicatorFixture.start()
        try await fixture.panel.click(4)
        _ = try await fixture.nextBegin()
        fixture.bus.stop()
        #expect(try await fixture.nextEnd() == .released)
        try await fixture.bus.start()
        let panel = try await ScriptedPanel.start(fixture.bus.address)
        try await panel.registration()
    }

    @Test @EventLoop func `only what has changed is announced`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        let panel = fixture.panel
        try await fixture.rename("First")
        while try await panel.properties()["Title"]?.asString != "First" {
            try await panel.signal("NewTitle")
        }
        try await panel.signal("ItemsPropertiesUpdated")
        try await fixture.call(ChannelInterface.setVolume, ChannelInterface.VolumeRequest(volume: 50))
        try await fixture.rename("Other")
        #expect(
            try await panel.nextSignals(3) == ["NewTitle", "NewToolTip", "ItemsPropertiesUpdated"]
        )
        #expect(try await panel.properties()["Title"]?.asString == "Other")
    }

    @Test @EventLoop func `a second indicator says that another runs, and ends`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        let second = try IndicatorFixture.launch(in: fixture.core.directory, fixture.bus.address)
        let output = try await second.output()
        #expect(output.status == 69)
        #expect(output.lines.contains("error: another ptt-indicator runs in this session"))
        #expect(try await fixture.panel.properties()["Title"]?.asString == "Radio")
    }

    @Test @EventLoop func `the indicator waits for a core that starts again`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        let panel = fixture.panel
        fixture.core.crash()
        // Its description has changed: panels ask for that with the icon alone.
        try await panel.signal("NewIcon")
        try await panel.signal("NewToolTip")
        let properties = try await panel.properties()
        #expect(properties["Status"]?.asString == "Active")
        #expect(
            properties["ToolTip"]?.asStructure?.last?.asString
                == "Nobody speaks. The push-to-talk service does not run"
        )
        #expect(try await panel.layout()[4]?["enabled"]?.asBool == false)
        try fixture.core.restart()
        try await panel.signal("NewToolTip")
        #expect(try await panel.layout()[4]?["enabled"]?.asBool == true)
        #expect(try await panel.properties()["Title"]?.asString == "Radio")
    }
}
