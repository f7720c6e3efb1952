import DBus
import EventLoop
import PTTMessages
import TestSupport
import Testing

/// The notification of the built indicator, as a notification daemon receives it.
@Suite(.timeLimit(.minutes(2)))
struct NotificationTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `without a panel a notification stays, and says who speaks`() async throws {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        let first = try await daemon.calls.next()
        #expect(first.application == "Push to talk")
        #expect(first.summary == "Radio")
        #expect(first.body == "Nobody speaks")
        #expect(first.actions == ["talk", "Talk", "leave", "Leave"])
        #expect(first.replaced == 0 && first.timeout == 0)
        #expect(
            first.hints == [
                "desktop-entry": .string("org.pushtotalk.Indicator"), "urgency": .byte(1),
                "suppress-sound": .boolean(true), "resident": .boolean(true),
            ]
        )
        try await fixture.speak("Anna <3 & Bert")
        let second = try await daemon.calls.next()
        #expect(second.body == "Anna &lt;3 &amp; Bert speaks")
        #expect(second.replaced == first.identifier)
        try await fixture.leave()
        #expect(try await daemon.closed.next() == first.identifier)
    }

    @Test @EventLoop func `with a panel only a speaker is notified, for a moment`() async throws {
        let fixture = try await IndicatorFixture.start()
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        try await fixture.speak("Anna")
        let call = try await daemon.calls.next()
        #expect(call.summary == "Radio")
        #expect(call.body == "Anna speaks")
        #expect(call.timeout == -1)
        #expect(call.hints["transient"] == .boolean(true))
        try await fixture.speak(nil)
        #expect(try await daemon.closed.next() == call.identifier)
    }

    @Test @EventLoop func `a picture is sent as pixels, 96 by 96 at most, and one that is none is not sent`()
        async throws
    {
        let fixture = try await IndicatorFixture.start()
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        try await fixture.speak("Anna", image: PictureTests.green)
        let call = try await daemon.calls.first { $0.hints["image-data"] != nil }
        #expect(call.body == "Anna speaks")
        let image = try #require(call.hints["image-data"]?.asStructure)
        #expect(image.map(\.signature).joined() == "iiibiiay")
        #expect(image.prefix(3).map(\.asInt) == [96, 96, 384])
        let pixels = try #require(image[6].asBytes)
        #expect(pixels.count == 36_864)
        #expect(Array(pixels.suffix(4)) == [0x00, 0xC8, 0x00, 0xFF])

        try await fixture.speak("Bert", image: PictureTests.bomb)
        let second = try await daemon.calls.next()
        #expect(second.body == "Bert speaks")
        #expect(second.hints["image-data"] == nil)
    }

    @Test @EventLoop func `Talk opens the microphone, the notification says so, and Stop closes it`()
        async throws
    {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        let first = try await daemon.calls.next()
        // Of a notification of another application.
        try daemon.invoke("talk", of: first.identifier + 1)
        try daemon.invoke("talk", of: first.identifier, closes: true)
        #expect(try await fixture.nextBegin().identifier == "org.pushtotalk.Indicator.notification")
        // On a busy machine the channel is shown again before.
        let open = try await daemon.calls.first { $0.body == "The microphone is open" }
        #expect(open.replaced != first.identifier, "the daemon has closed the first one")
        #expect(open.actions == ["stop", "Stop", "leave", "Leave"])
        #expect(open.hints["urgency"] == .byte(2))
        try daemon.invoke("stop", of: open.identifier)
        #expect(try await fixture.nextEnd() == .stopped)
        #expect(try await daemon.calls.next().body == "Nobody speaks")
    }

    @Test @EventLoop func `Leave leaves the channel`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false, hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        try daemon.invoke("leave", of: try await daemon.calls.next().identifier)
        _ = try await fixture.events.first { if case .channelLeft = $0 { true } else { false } }
    }

    @Test @EventLoop func `there are no buttons where the daemon has none, and no markup`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false, hasPanel: false, channel: "<b>R&D")
        let daemon = try await ScriptedNotifications.start(fixture.bus.address, capabilities: ["body"])
        let call = try await daemon.calls.next()
        #expect(call.actions == [])
        #expect(call.summary == "<b>R&D")
    }

    @Test @EventLoop func `a notification that was dismissed is silent until the next speaker`() async throws
    {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        let first = try await daemon.calls.next()
        try daemon.close(first.identifier, reason: 2)
        // The bus and the core reach the indicator on different ways.
        _ = try await fixture.indicator.lines.first { $0.contains("closed(id: \(first.identifier)") }
        try await fixture.begin()
        #expect(try await fixture.nextBegin().kind == .commandLine)
        try await fixture.end()
        #expect(try await fixture.nextEnd() == .released)
        try await fixture.speak("Anna")
        #expect(try await daemon.calls.next().body == "Anna speaks")
    }

    /// In whatever way it goes: what has to be seen and cannot be closed must not go on.
    @Test(arguments: ["crash", "crash before it is shown again", "dismissal", "bus"]) @EventLoop
    func `without the notification its transmission ends`(loss: String) async throws {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        let isEarly = loss == "crash before it is shown again"
        try daemon.invoke("talk", of: try await daemon.calls.next().identifier, closes: isEarly)
        _ = try await fixture.nextBegin()
        if isEarly {
            daemon.crash()
            #expect(try await fixture.nextEnd() == .released)
            return try await fixture.isNotRecorded()
        }
        let open = try await daemon.calls.next()
        switch loss {
        case "crash": daemon.crash()
        case "dismissal": try daemon.close(open.identifier, reason: 2)
        default: fixture.bus.stop()
        }
        #expect(try await fixture.nextEnd() == .released)
        try await fixture.isNotRecorded()
    }

    @Test @EventLoop func `another daemon shows the notification again, by what it can`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false, hasPanel: false)
        let first = try await ScriptedNotifications.start(fixture.bus.address)
        _ = try await first.calls.next()
        first.crash()
        let second = try await ScriptedNotifications.start(
            fixture.bus.address,
            capabilities: ["body"],
            first: 40
        )
        let call = try await second.calls.next()
        #expect(call.replaced == 0 && call.actions == [])
    }

    @Test @EventLoop func `a daemon that never answers delays nothing`() async throws {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address, answers: false)
        let portal = try await ScriptedPortal.start(fixture.bus.address)
        try await daemon.questions.next()
        _ = try await portal.binding()
        try await fixture.isBound()
        try portal.press()
        _ = try await fixture.nextBegin()
        try portal.release()
        #expect(try await fixture.nextEnd() == .released)
    }

    @Test @EventLoop func `a notification that a hanging daemon makes late is closed, also if there are two`()
        async throws
    {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address, hangs: true)
        let first = try await daemon.calls.next()
        _ = try await fixture.indicator.lines.first { $0.contains("no answer") }
        try await fixture.speak("Anna")
        // The bus and the core reach the indicator on different ways.
        _ = try await fixture.indicator.lines.first { $0.contains("participantChanged") }
        try await fixture.leave()
        daemon.goOn()
        daemon.calls.finish()
        // On a busy machine it is called again before the channel is left.
        let made = try await daemon.calls.untilEnd(within: .seconds(5)).map(\.identifier)
        var left = Set([first.identifier] + made)
        while !left.isEmpty { left.remove(try await daemon.closed.next()) }
    }

    @Test @EventLoop func `a call that the daemon loses is made again, with what is so by then`() async throws
    {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address, losing: 1)
        #expect(try await daemon.calls.next().body == "Nobody speaks")
        try await fixture.speak("Anna")
        let call = try await daemon.calls.next()
        #expect(call.body == "Anna speaks" && call.replaced == 0)
        try await fixture.leave()
        #expect(try await daemon.closed.next() == call.identifier)
    }

    @Test @EventLoop func `an indicator that ends closes its notification`() async throws {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        _ = try await daemon.calls.next()
        // It replaces the first, so that the indicator has received its identifier.
        try await fixture.speak("Anna")
        let call = try await daemon.calls.next()
        fixture.indicator.signal(15)
        #expect(try await daemon.closed.next() == call.identifier)
        #expect(try await fixture.indicator.exitStatus() == 0)
    }

    @Test(arguments: ["same daemon", "another daemon", "dismissed", "damaged record"]) @EventLoop
    func `what a crash has left is closed by the next start, if it is still there`(then: String) async throws
    {
        let fixture = try await IndicatorFixture.start(hasPanel: false)
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        _ = try await daemon.calls.next()
        // It replaces the first, so that the indicator has received its identifier.
        try await fixture.speak("Anna")
        let left = try await daemon.calls.next()
        let record = fixture.core.directory + "/pushtotalk-indicator/notification"
        try await until { try TextFile.read(record, limit: 100)?.hasSuffix(" \(left.identifier)") == true }
        var next = daemon
        switch then {
        case "dismissed":
            try daemon.close(left.identifier, reason: 2)
            try await until { try TextFile.read(record, limit: 100) == nil }
        case "damaged record": try TextFile.edit(record, limit: 100) { _ in ":1.2 4294967296" }
        default: break
        }
        fixture.indicator.signal(9)
        _ = try await fixture.indicator.exitStatus()
        if then == "another daemon" {
            daemon.crash()
            // With identifiers that the record does not have yet.
            next = try await ScriptedNotifications.start(fixture.bus.address, first: left.identifier + 1)
        }
        try fixture.startIndicator()
        if then == "same daemon" {
            #expect(try await next.closed.next() == left.identifier)
            #expect(try await next.calls.next().replaced == 0)
        } else {
            let own = try await next.calls.next()
            try await until { try TextFile.read(record, limit: 100)?.hasSuffix(" \(own.identifier)") == true }
            // Of the first one nothing is closed, and of this one only now.
            fixture.indicator.signal(15)
            #expect(try await next.closed.next() == own.identifier)
        }
    }

    @Test(arguments: [nil, "names-on-lock-screen = true", "lock-screen = \"off\""]) @EventLoop
    func `a locked screen shows what the person allows`(configuration: String?) async throws {
        let system = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(system.address)
        let fixture = try await IndicatorFixture.start(
            hasPanel: false,
            configuration: configuration,
            systemBus: system.address
        )
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        _ = try await daemon.calls.next()
        try await fixture.speak("Anna")
        let call = try await daemon.calls.next()
        #expect(call.body == "Anna speaks")
        #expect(call.hints["x-gnome-privacy-scope"] == nil)
        try logind.change("mine", isLocked: true)
        switch configuration {
        case nil:
            let locked = try await daemon.calls.next()
            #expect(try await daemon.closed.next() == call.identifier)
            #expect(locked.replaced == 0)
            #expect(locked.body == "Somebody speaks")
            #expect(locked.actions == [])
            #expect(locked.hints["x-gnome-privacy-scope"] == .string("system"))
        case "names-on-lock-screen = true": #expect(try await daemon.calls.next().body == "Anna speaks")
        default: #expect(try await daemon.closed.next() == call.identifier)
        }
    }

    @Test @EventLoop func `without notifications the daemon is not called`() async throws {
        let fixture = try await IndicatorFixture.start(
            hasSound: false,
            hasPanel: false,
            configuration: "notifications = false"
        )
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        let portal = try await ScriptedPortal.start(fixture.bus.address)
        // It has had the time.
        _ = try await portal.binding()
        daemon.questions.finish()
        #expect(try await daemon.questions.untilEnd(within: .seconds(5)).isEmpty)
    }
}
