import DBus
import EventLoop
import PTTMessages
import TestSupport
import Testing
import Varlink

/// The built indicator without a channel, while a program records from the Push-to-Talk Microphone.
@Suite(.timeLimit(.minutes(2)))
struct CallTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `in a call the panel talks to the program that records, and says which it is`()
        async throws
    {
        let fixture = try await IndicatorFixture.start()
        let panel = fixture.panel
        let call = try await fixture.call()
        let idle = try await panel.layout()
        #expect(idle[2]?["label"]?.asString == "parec hears silence")
        #expect(idle[5]?["enabled"]?.asBool == false)

        try await panel.click(4)
        #expect(try await fixture.nextBegin().identifier == "org.pushtotalk.Indicator.panel")
        try await until {
            try await panel.properties()["ToolTip"]?.asStructure?.last?.asString
                == "The microphone is open: parec hears you"
        }
        try await until { try await call.next(480).loudest > 0 }

        fixture.indicator.kill()
        #expect(try await fixture.nextEnd() == .connectionLost)
        try await until { try await call.next(480).loudest == 0 }
    }

    @Test @EventLoop func `it ends when the call has ended, and with it what was begun`() async throws {
        let fixture = try await IndicatorFixture.start()
        let call = try await fixture.call()
        try await fixture.panel.click(4)
        _ = try await fixture.nextBegin()
        call.kill()
        #expect(try await fixture.nextEnd() == .recorderGone)
        #expect(try await fixture.indicator.exitStatus() == 0)
    }

    @Test @EventLoop func `a refused press of a button is a notification, also with a panel`() async throws {
        let fixture = try await IndicatorFixture.start()
        let daemon = try await ScriptedNotifications.start(fixture.bus.address)
        try await fixture.isSeen()
        let button = Origin(kind: .bluetoothButton, identifier: "b", name: "Button")
        try await fixture.setMode(.listenOnly)
        await #expect(throws: VarlinkCallError.self) { try await fixture.begin(button) }
        let call = try await daemon.calls.next()
        #expect(call.body == "the application has set the channel to listen only")
        #expect(call.timeout == -1)
        try await fixture.setMode(.fullDuplex)
        #expect(try await daemon.closed.next() == call.identifier)
    }
}
