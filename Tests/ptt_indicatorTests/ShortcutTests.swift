import DBus
import EventLoop
import PTTMessages
import TestSupport
import Testing

/// The talk key of the built indicator, as the frontend of a desktop portal sees it.
@Suite(.timeLimit(.minutes(2)))
struct ShortcutTests {
    init() { withRunningLoop() }

    @Test(arguments: [false, true]) @EventLoop
    func `the portal is called once, and in its order`(hasRegistry: Bool) async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        let portal = try await ScriptedPortal.start(fixture.bus.address, hasRegistry: hasRegistry)
        let register = hasRegistry ? ["Register org.pushtotalk.Indicator"] : []
        let calls = ["version", "CreateSession", "ListShortcuts", "BindShortcuts"]
        #expect(try await portal.binding() == register + calls)
        try await fixture.isBound()
        let shortcut = portal.bound[1].asArray?.first?.asStructure
        #expect(shortcut?[0].asString == "talk")
        let description = shortcut?[1].asProperties?["description"]?.asString ?? ""
        #expect(description.hasPrefix("Push to talk") && description.contains("not Ctrl, Alt or Shift"))
    }

    @Test @EventLoop func `a key that the desktop still has is not bound again`() async throws {
        let fixture = try await IndicatorFixture.start()
        let portal = try await ScriptedPortal.start(fixture.bus.address, .knowsKey)
        try await fixture.isBound()
        try portal.press()
        _ = try await fixture.nextBegin()
        try portal.release()
        #expect(try await fixture.nextEnd() == .released)
        portal.calls.finish()
        let calls = ["version", "CreateSession", "ListShortcuts"]
        #expect(try await portal.calls.untilEnd(within: .seconds(5)) == calls)
    }

    @Test @EventLoop func `the menu lets the desktop ask for the key, where the desktop can`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        #expect(try await fixture.panel.layout()[7]?["visible"]?.asBool == false)
        let portal = try await ScriptedPortal.start(fixture.bus.address, .letsChoose)
        _ = try await portal.binding()
        try await until { try await fixture.panel.layout()[7]?["visible"]?.asBool != false }
        try await fixture.panel.click(7)
        #expect(try await portal.calls.next() == "ConfigureShortcuts true")
        portal.crash()
        try await until { try await fixture.panel.layout()[7]?["visible"]?.asBool == false }
    }

    @Test @EventLoop func `a key that was bound counts as bound, whatever the code of the answer`()
        async throws
    {
        let fixture = try await IndicatorFixture.start()
        let portal = try await ScriptedPortal.start(fixture.bus.address, .answersAnyCode)
        try await fixture.isBound()
        try portal.press()
        #expect(try await fixture.nextBegin().identifier == "org.pushtotalk.Indicator.key")
    }

    @Test @EventLoop func `a press begins, further presses are the same one, and the release ends`()
        async throws
    {
        let (fixture, portal) = try await Self.pressed()
        try portal.press()
        // Of another session, another shortcut.
        try portal.emit("Deactivated", session: "/org/freedesktop/portal/desktop/session/1_1/ptt1")
        try portal.emit("Deactivated", shortcut: "other")
        try portal.release()
        #expect(try await fixture.nextEnd() == .released)
        try portal.press()
        _ = try await fixture.nextBegin()
    }

    @Test @EventLoop func `a key that is not repeated any more is up, although no release is reported`()
        async throws
    {
        let (fixture, portal) = try await Self.pressed()
        for _ in 0..<10 { try portal.press() }
        #expect(try await fixture.nextEnd() == .released)
        try await fixture.isNotRecorded()
        _ = try await fixture.indicator.lines.first { $0.contains("the talk key counts as released") }
        try portal.press()
        _ = try await fixture.nextBegin()
        try portal.release()
        #expect(try await fixture.nextEnd() == .released)
    }

    @Test @EventLoop func `after the time limit the key must be released before it begins again`()
        async throws
    {
        let (fixture, portal) = try await Self.pressed(core: "time-limit = 1")
        #expect(try await fixture.nextEnd() == .timeLimit)
        try portal.press()
        try portal.release()
        try portal.press()
        #expect(try await fixture.nextBegin().identifier == "org.pushtotalk.Indicator.key")
        try portal.release()
        #expect(try await fixture.nextEnd() == .released)
    }

    @Test @EventLoop func `no other program on the bus can press the key`() async throws {
        let fixture = try await IndicatorFixture.start()
        let portal = try await ScriptedPortal.start(fixture.bus.address)
        _ = try await portal.binding()
        try await fixture.isBound()
        let forger = try await BusConnection.open(.address(fixture.bus.address))
        try portal.emit("Activated", over: forger)
        // Both go through the bus, and the indicator handles them in their order.
        _ = try await forger.call(portal.ping)
        try portal.press()
        #expect(try await fixture.nextBegin().identifier == "org.pushtotalk.Indicator.key")
        try portal.emit("Deactivated", over: forger)
        _ = try await forger.call(portal.ping)
        #expect(try await fixture.status().transmission != nil)
    }

    @Test @EventLoop func `a bus that comes back has the key and the notification again`() async throws {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        fixture.bus.stop()
        try await fixture.bus.start()
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        let portal = try await ScriptedPortal.start(fixture.bus.address)
        _ = try await portal.binding()
        try await fixture.isBound()
        try portal.press()
        _ = try await fixture.nextBegin()
        // A panel is not there, which is known only after a while.
        _ = try await daemon.calls.first { $0.body == "The microphone is open" }
        fixture.bus.stop()
        #expect(try await fixture.nextEnd() == .released)
    }

    enum Loss: CaseIterable {
        case sessionClosed, frontendCrash, backendCrash, bus, panelCrash, indicatorKilled, indicatorEnded
    }

    @Test(arguments: Loss.allCases) @EventLoop
    func `what can hide the release ends the transmission`(loss: Loss) async throws {
        let (fixture, portal) = try await Self.pressed()
        var cause = EndCause.released
        switch loss {
        case .sessionClosed: try portal.closeSession()
        case .frontendCrash: portal.crash()
        case .backendCrash: portal.crashBackend()
        case .bus: fixture.bus.stop()
        case .panelCrash: fixture.panel.crash()
        case .indicatorKilled:
            fixture.indicator.kill()
            cause = .connectionLost
        case .indicatorEnded:
            fixture.indicator.signal(15)
            cause = .connectionLost
        }
        #expect(try await fixture.nextEnd() == cause)
        try await fixture.isNotRecorded()
    }

    enum Front: CaseIterable { case locked, inactive, suspended }

    @Test(arguments: Front.allCases) @EventLoop
    func `the key is up when the screen is locked, another session is in front, or the machine sleeps`(
        front: Front
    ) async throws {
        let system = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(system.address)
        let (fixture, portal) = try await Self.pressed(systemBus: system.address)
        switch front {
        case .locked: try logind.change("mine", isLocked: true)
        case .inactive: try logind.change("mine", isActive: false)
        case .suspended: try logind.prepareForSleep(true)
        }
        #expect(try await fixture.nextEnd() == .released)
        try await fixture.isNotRecorded()
        guard front == .locked else { return }
        // Nor does it begin there.
        try portal.press()
        await pause(.milliseconds(300))
        #expect(try await fixture.status().transmission == nil)
        try logind.change("mine", isLocked: false)
        _ = try await fixture.indicator.lines.first { $0.contains("screenLocked(false)") }
        try portal.release()
        try portal.press()
        #expect(try await fixture.nextBegin().identifier == "org.pushtotalk.Indicator.key")
    }

    @Test @EventLoop func `a portal that comes back has the key again`() async throws {
        let (fixture, portal) = try await Self.pressed()
        portal.crash()
        portal.crashBackend()
        #expect(try await fixture.nextEnd() == .released)
        let next = try await ScriptedPortal.start(fixture.bus.address)
        _ = try await next.binding()
        try await fixture.isBound()
        try next.press()
        _ = try await fixture.nextBegin()
        try next.release()
        #expect(try await fixture.nextEnd() == .released)
    }

    @Test @EventLoop func `a backend that comes back has the key again, in another session`() async throws {
        let (fixture, portal) = try await Self.pressed()
        portal.crashBackend()
        #expect(try await fixture.nextEnd() == .released)
        try await portal.startBackend()
        // The frontend still has the old session.
        #expect(try await portal.calls.next() == "Close")
        #expect(try await portal.binding().first == "version")
        try await fixture.isBound()
        try portal.press()
        _ = try await fixture.nextBegin()
    }

    @Test @EventLoop func `a portal without shortcuts is not asked again`() async throws {
        let fixture = try await IndicatorFixture.start()
        let portal = try await ScriptedPortal.start(fixture.bus.address, .noShortcuts, hasRegistry: true)
        #expect(try await portal.calls.next().hasPrefix("Register"))
        _ = try await fixture.indicator.lines.first { $0.contains("no talk key on the keyboard") }
        portal.crashBackend()
        try await portal.startBackend()
        // It has had the time: of what follows it takes notice.
        try await fixture.speak("Anna")
        _ = try await fixture.indicator.lines.first { $0.contains("Anna") }
        portal.calls.finish()
        #expect(try await portal.calls.untilEnd(within: .seconds(5)).isEmpty)
    }

    @Test @EventLoop func `a person who refuses is not asked again`() async throws {
        let fixture = try await IndicatorFixture.start()
        let portal = try await ScriptedPortal.start(fixture.bus.address, .refuses)
        _ = try await portal.binding()
        _ = try await fixture.indicator.lines.first { $0.contains("the person refused a talk key") }
        #expect(try await portal.calls.next() == "Close")
        portal.crashBackend()
        try await portal.startBackend()
        try await fixture.speak("Anna")
        _ = try await fixture.indicator.lines.first { $0.contains("Anna") }
        portal.calls.finish()
        #expect(try await portal.calls.untilEnd(within: .seconds(5)).isEmpty)
    }

    @Test @EventLoop func `a portal that never answers costs the panel nothing`() async throws {
        let fixture = try await IndicatorFixture.start()
        let portal = try await ScriptedPortal.start(fixture.bus.address, .neverAnswers)
        _ = try await portal.calls.first { $0 == "CreateSession" }
        try await fixture.panel.click(4)
        #expect(try await fixture.nextBegin().identifier == "org.pushtotalk.Indicator.panel")
        try await fixture.panel.signal("NewStatus")
        try await fixture.panel.click(8)
        #expect(try await fixture.nextEnd() == .stopped)
    }

    @Test @EventLoop func `a session that a portal makes after it was given up is closed`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        let portal = try await ScriptedPortal.start(fixture.bus.address, .neverAnswers)
        _ = try await portal.calls.first { $0 == "CreateSession" }
        portal.crashBackend()
        _ = try await portal.calls.first { $0 == "CreateSession" }
        portal.answerLate()
        #expect(try await portal.calls.next() == "Close")
    }

    @Test(arguments: ["key = false", "key = 7"]) @EventLoop
    func `no portal is called if the person wants no key, or nobody knows`(configuration: String) async throws
    {
        let fixture = try await IndicatorFixture.start(configuration: configuration)
        let portal = try await ScriptedPortal.start(fixture.bus.address)
        try await fixture.speak("Anna")
        _ = try await fixture.indicator.lines.first { $0.contains("Anna") }
        portal.calls.finish()
        #expect(try await portal.calls.untilEnd(within: .seconds(5)).isEmpty)
    }

    /// The key is held, and the microphone is open.
    @EventLoop private static func pressed(core: String? = nil, systemBus: String? = nil) async throws -> (
        IndicatorFixture, ScriptedPortal
    ) {
        let fixture = try await IndicatorFixture.start(core: core, systemBus: systemBus)
        let portal = try await ScriptedPortal.start(fixture.bus.address)
        _ = try await portal.binding()
        try await fixture.isBound()
        try portal.press()
        let origin = try await fixture.nextBegin()
        #expect(origin.identifier == "org.pushtotalk.Indicator.key")
        #expect(origin.kind == .inputDevice)
        return (fixture, portal)
    }
}
