import AccessoryCore
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// A button that a person has told to latch: its taps, and what ends what they keep on.
@Suite(.serialized) struct LatchPressTests {
    init() { withRunningLoop() }

    /// With a button that transmits after a tap.
    @EventLoop private func start() async throws -> AccessoryFixture {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0", "ffe0"], enrolled: false)
        try fixture.enrol([
            Enrolment(AccessoryFixture.address(of: 1), mode: .latch),
            Enrolment(AccessoryFixture.address(of: 2)),
        ])
        try await fixture.ready(2)
        // On a busy machine what should be a tap may be longer: then it is held.
        for _ in 0..<20 {
            try await fixture.simulate("press")
            try await fixture.simulate("release")
            try await fixture.next(.pressed)
            try await fixture.next(.released)
            #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
            let answer = try await fixture.asked()
            if answer == .latch(first, .talk) { return fixture }
            #expect(answer == .end(first, .released))
        }
        throw FixtureError("no press was short enough for a tap")
    }

    /// The next request is that of another button.
    @EventLoop private func nothingElseIsAsked(_ fixture: AccessoryFixture) async throws {
        try await fixture.simulate("press 2")
        #expect(try await fixture.asked() == .begin("F0:F1:F2:F3:F4:02", .bluetoothButton))
    }

    @Test @EventLoop func `a tap keeps it on, and the next press ends it`() async throws {
        let fixture = try await start()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("release")
        try await fixture.next(.released)
        try await nothingElseIsAsked(fixture)
    }

    @Test(arguments: ["disconnect", "sleep", "power off", "crash"]) @EventLoop
    func `a fault between the button and ptt-accessoryd ends what it keeps on`(loss: String) async throws {
        let fixture = try await start()
        try await fixture.simulate(loss)
        #expect(try await fixture.asked() == .end(first, .linkLost))
    }

    @Test @EventLoop func `after the time limit the core is told that the button is released`() async throws {
        let fixture = try await start()
        let transmission = Transmission(
            transmissionID: TransmissionID(rawValue: fixture.core?.transmission ?? 0),
            source: .handsfreeButton,
            origin: Origin(kind: .bluetoothButton, identifier: first, name: "Button"),
            began: 0
        )
        fixture.core?.publish(
            .transmissionEnded(transmission: transmission, cause: .timeLimit, endedBy: .unknown)
        )
        #expect(try await fixture.asked() == .end(first, .released))
        try await nothingElseIsAsked(fixture)
    }

    /// The core ends what the connection holds when that closes.
    @Test @EventLoop func `a ptt-accessoryd that was killed has forgotten what was kept on`() async throws {
        let fixture = try await start()
        fixture.accessoryd?.kill()
        try await fixture.startAccessoryd()
        try await fixture.ready(2)
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `the end of ptt-accessoryd ends what is kept on first`() async throws {
        let fixture = try await start()
        fixture.accessoryd?.signal(SIGTERM)
        #expect(try await fixture.asked() == .end(first, .linkLost))
    }

    @Test @EventLoop func `a core that was lost ended it, and is asked for nothing when it is back`()
        async throws
    {
        let fixture = try await start()
        fixture.core?.stop()
        try await fixture.next(.coreLost)
        try fixture.startCore()
        try await fixture.next(.coreConnected)
        try await nothingElseIsAsked(fixture)
    }
}
