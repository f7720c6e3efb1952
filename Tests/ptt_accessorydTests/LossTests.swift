import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@Suite(.serialized) struct LossTests {
    init() { withRunningLoop() }

    /// What breaks the way to the button, and what repairs it.
    nonisolated static let losses = [
        ("disconnect", nil), ("sleep", "wake"), ("vanish", "return"), ("power off", "power on"),
        ("unplug", "plug"), ("crash", "revive"),
    ]

    @Test(arguments: losses) @EventLoop
    func `whatever breaks the way to a held button ends its transmission`(
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
        try await fixture.simulate("release")
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
    func `who stands still while a button is held cannot tell the release, and ends its transmission`(
        _ who: String
    ) async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        func signal(_ signal: Int32) {
            if who == "the bus" { fixture.bus.signal(signal) } else { fixture.simulator?.signal(signal) }
        }
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        signal(SIGSTOP)
        #expect(try await fixture.asked() == .end(first, .linkLost))
        _ = try await fixture.events.first { $0.device?.link == .away }
        signal(SIGCONT)
        try await fixture.ready()
        try await fixture.simulate("release")
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a button that is no longer trusted is no longer heard`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.setTrusted(false)
        #expect(try await fixture.asked() == .end(first, .linkLost))
        let device = try await fixture.events.first { $0.device?.link == .unused }.device
        #expect(device?.remark == "not trusted: run `pttctl pair \(first)`")
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
