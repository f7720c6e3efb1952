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
        let rig = try await Rig.start()
        try await rig.ready()
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        try await rig.simulate(loss)
        #expect(try await rig.asked() == .end(first, .linkLost))
        _ = try await rig.events.first { $0.device?.link == .away }
        if let repair { try await rig.simulate(repair) }
        try await rig.ready()
        try await rig.simulate("release")
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `the loss of the system bus ends a transmission`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        rig.bus.stop()
        #expect(try await rig.asked() == .end(first, .linkLost))
    }

    @Test(arguments: ["bluetoothd", "the bus"]) @EventLoop
    func `who stands still while a button is held cannot tell the release, and ends its transmission`(
        _ who: String
    ) async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        func signal(_ signal: Int32) {
            if who == "the bus" { rig.bus.signal(signal) } else { rig.simulator?.signal(signal) }
        }
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        signal(SIGSTOP)
        #expect(try await rig.asked() == .end(first, .linkLost))
        _ = try await rig.events.first { $0.device?.link == .away }
        signal(SIGCONT)
        try await rig.ready()
        try await rig.simulate("release")
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a button that is no longer trusted is no longer heard`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        try await rig.setTrusted(false)
        #expect(try await rig.asked() == .end(first, .linkLost))
        let device = try await rig.events.first { $0.device?.link == .unused }.device
        #expect(device?.remark == "not trusted: run `pttctl pair \(first)`")
    }

    @Test @EventLoop func `the end of the bridge ends its transmissions first`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        rig.bridge?.signal(SIGTERM)
        #expect(try await rig.asked() == .end(first, .linkLost))
        _ = try await rig.notices.texts.first { $0.contains("STOPPING=1") }
        #expect(try await rig.bridge?.exitStatus() == 0)
    }
}
