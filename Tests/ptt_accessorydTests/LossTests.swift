import DBus
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@testable import ptt_accessoryd

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

    /// A connection to a bus of its own, whose loss is reported.
    @EventLoop private func connect() async throws -> (PrivateBus, BusConnection, AsyncQueue<Bool>) {
        let bus = try await PrivateBus.start()
        let connection = try await BusConnection.open(.address(bus.address))
        let losses = AsyncQueue(of: Bool.self)
        connection.onLost = { _ in losses.add(true) }
        return (bus, connection, losses)
    }

    @Test @EventLoop func `a process that hung before a press, which it has reported, could miss no release`()
        async throws
    {
        let (bus, connection, losses) = try await connect()
        let keepAlive = BlueZKeepAlive { connection }
        bus.signal(SIGSTOP)
        /// Nothing answers, so that this lasts as long as its time limit.
        func call(for limit: Duration) async {
            let answers = AsyncQueue(of: Bool.self)
            connection.call(.getManagedObjects(of: "org.bluez"), timeout: limit) { _ in answers.add(true) }
            await #expect(throws: Never.self) { try await answers.next() }
        }
        keepAlive.set(true, for: "/first")
        await call(for: .milliseconds(2500))
        keepAlive.set(false, for: "/first")
        keepAlive.set(true, for: "/second")
        await call(for: .seconds(2))
        #expect(connection.isOpen)
        // From now on it hangs in a press.
        #expect(try await losses.next())
        bus.signal(SIGCONT)
    }

    @Test @EventLoop
    func `a bus that hangs is noticed while one of two accessories of a device waits for its release`()
        async throws
    {
        let (bus, connection, losses) = try await connect()
        let keepAlive = BlueZKeepAlive { connection }
        keepAlive.set(true, for: "/headset")
        keepAlive.set(true, for: "/headset")
        keepAlive.set(false, for: "/headset")
        bus.signal(SIGSTOP)
        #expect(try await losses.next())
        bus.signal(SIGCONT)
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
