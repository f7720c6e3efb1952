import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@Suite(.serialized) struct LossTests {
    init() { withRunningLoop() }

    /// Faults between the button and ptt-accessoryd, and their repair.
    nonisolated static let losses = [
        ("disconnect", nil), ("sleep", "wake"), ("vanish", "return"), ("power off", "power on"),
        ("unplug", "plug"), ("crash", "revive"),
    ]

    @Test(arguments: losses) @EventLoop
    func `any fault between a held button and ptt-accessoryd ends its transmission`(
        loss: String,
        repair: String?
    ) async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate(loss)
        #expect(try await fixture.asked() == .end(first, .linkLost))
        _ = try await fixture.events.first { $0.device?.link == .away }
        if let repair { try await fixture.simulate(repair) }
        try await fixture.ready()
        // It is still held, as the read on connecting has shown.
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `the loss of the system bus ends a transmission`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        fixture.bus.stop()
        #expect(try await fixture.asked() == .end(first, .linkLost))
    }

    @Test(arguments: ["bluetoothd", "the bus"]) @EventLoop
    func `a process that hangs while a button is held could miss the release, so that the transmission ends`(
        _ process: String
    ) async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        func signal(_ signal: Int32) {
            if process == "the bus" { fixture.bus.signal(signal) } else { fixture.simulator?.signal(signal) }
        }
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        signal(SIGSTOP)
        #expect(try await fixture.asked() == .end(first, .linkLost))
        _ = try await fixture.events.first { $0.device?.link == .away }
        signal(SIGCONT)
        try await fixture.ready()
        // It is still held, as the read on connecting has shown.
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `the end of ptt-accessoryd ends its transmissions first`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        fixture.accessoryd?.signal(SIGTERM)
        #expect(try await fixture.asked() == .end(first, .linkLost))
        _ = try await fixture.notices.texts.first { $0.contains("STOPPING=1") }
        #expect(try await fixture.accessoryd?.exitStatus() == 0)
    }
}
