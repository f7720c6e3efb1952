import AccessoryCore
import EventLoop
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing

/// Buttons and the login session of their user, as a scripted logind reports it.
@Suite(.serialized) struct SessionTests {
    init() { withRunningLoop() }

    @EventLoop
    private func start(_ session: ScriptedLogind.Session) async throws -> (AccessoryFixture, ScriptedLogind) {
        let fixture = try await AccessoryFixture.start()
        let logind = try await ScriptedLogind.start(fixture.bus.address, ["mine": session])
        try await fixture.ready()
        return (fixture, logind)
    }

    /// A press is the next request to the core.
    @EventLoop
    private func presses(_ fixture: AccessoryFixture) async throws {
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        // No earlier press ended like this.
        try await fixture.simulate("disconnect")
        #expect(try await fixture.asked() == .end(first, .linkLost))
    }

    /// The button's notifications are off, or will be: they are stopped after the button has been reported as
    /// released.
    @EventLoop
    private func isUnheard(_ command: String, _ fixture: AccessoryFixture) async throws {
        try await until {
            do {
                try await fixture.simulate(command)
                return false
            } catch is FixtureError {
                return true
            }
        }
    }

    @Test @EventLoop
    func `another user's session at the seat ends a press and releases the button, until ours is back`()
        async throws
    {
        let (fixture, logind) = try await start(.init())
        _ = try await logind.readSessions.first { $0 == "mine" }
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try logind.change("mine", isActive: false)
        #expect(try await fixture.asked() == .end(first, .sessionInactive))
        let released = try await fixture.events.first { $0.device?.link == .unused }.device
        #expect(released?.remark == "another session is active at this seat")
        for command in ["release", "press", "release"] { try await isUnheard(command, fixture) }
        try logind.change("mine", isActive: true)
        try await fixture.ready()
        try await presses(fixture)
    }

    @Test @EventLoop
    func `another user's session ends what a button that advertises has begun, and ignores its presses`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(
            buttons: ["shelly-blu"],
            known: false,
            experimental: true
        )
        let logind = try await ScriptedLogind.start(fixture.bus.address, ["mine": .init()])
        try fixture.enrol([Enrolment(AccessoryFixture.address(of: 1), accessory: "shelly-blu")])
        try await fixture.ready()
        _ = try await logind.readSessions.first { $0 == "mine" }
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try logind.change("mine", isActive: false)
        #expect(try await fixture.asked() == .end(first, .sessionInactive))
        try await fixture.simulate("press")
        let event = try await fixture.events.first { $0.kind == .ignored }
        #expect(event.remark == "another session is active at this seat")
        try logind.change("mine", isActive: true)
        #expect(try await fixture.events.first { $0.device?.remark == nil }.device?.link == .ready)
    }

    @Test @EventLoop func `a button that is held when our session is back is not pressed`() async throws {
        let (fixture, logind) = try await start(.init())
        _ = try await logind.readSessions.first { $0 == "mine" }
        try logind.change("mine", isActive: false)
        _ = try await fixture.events.first { $0.device?.link == .unused }
        try await isUnheard("press", fixture)
        try logind.change("mine", isActive: true)
        try await fixture.ready()
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await presses(fixture)
    }

    @Test(arguments: ["without a seat", "of another user", "none"]) @EventLoop
    func `a user without a session at a seat keeps the buttons`(_ session: String) async throws {
        let fixture = try await AccessoryFixture.start()
        let sessions: [String: ScriptedLogind.Session] =
            switch session {
            case "without a seat": ["ssh": .init(seat: "", isActive: false)]
            case "of another user": ["other": .init(user: getuid() + 1)]
            default: [:]
            }
        let logind = try await ScriptedLogind.start(fixture.bus.address, sessions)
        try await fixture.ready()
        // It has read all signals, and with them the list of sessions.
        for _ in 0..<2 { try await logind.coreHasReadSignals() }
        try await presses(fixture)
    }

    @Test @EventLoop func `a button stays released while logind is gone, until it reports otherwise`()
        async throws
    {
        let (fixture, logind) = try await start(.init())
        _ = try await logind.readSessions.first { $0 == "mine" }
        try logind.change("mine", isActive: false)
        _ = try await fixture.events.first { $0.device?.link == .unused }
        logind.crash()
        for command in ["press", "release"] { try await isUnheard(command, fixture) }
        let next = try await ScriptedLogind.start(fixture.bus.address)
        defer { withExtendedLifetime(next) {} }
        try await fixture.ready()
        try await presses(fixture)
    }

    @Test @EventLoop func `a button that disappears while it is released is not listed any more`()
        async throws
    {
        let (fixture, logind) = try await start(.init())
        _ = try await logind.readSessions.first { $0 == "mine" }
        try logind.change("mine", isActive: false)
        _ = try await fixture.events.first { $0.device?.link == .unused }
        let _: Nothing = try await fixture.call("Forget", ["address": .string(first)])
        try await fixture.next(.deviceRemoved)
    }
}
