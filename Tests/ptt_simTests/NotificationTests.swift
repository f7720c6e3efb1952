import DBus
import EventLoop
import TestSupport
import Testing

@Suite struct NotificationTests {
    init() { withRunningLoop() }

    static let value = "dev1/service/char GattCharacteristic1 Value="

    @Test @EventLoop func `presses and bytes are notified in order once notifications are on`() async throws {
        let fixture = try await SimulatorFixture("--button", "aina", "--known")
        #expect(try await fixture.simulator.ask("press 1").hasPrefix("error: not notified"))
        try await fixture.characteristic(1, "StartNotify")
        for command in ["press 1", "raw 1 81", "raw 8180", "release 1", "release"] {
            #expect(try await fixture.simulator.ask(command) == "ok")
        }
        #expect(
            try await fixture.signals.next(6) == [
                "dev1/service/char GattCharacteristic1 Notifying=true", Self.value + "1",
                Self.value + "81", Self.value + "81,80", Self.value + "0", Self.value + "0",
            ]
        )
        try await fixture.characteristic(1, "StopNotify")
        #expect(try await fixture.signals.next() == "dev1/service/char GattCharacteristic1 Notifying=false")
        #expect(try await fixture.simulator.ask("press 1").hasPrefix("error: not notified"))
    }

    @Test @EventLoop func `a value on subscription comes before the answer of StartNotify`() async throws {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        #expect(try await fixture.simulator.ask("on-subscribe 1 00") == "ok")
        let path = SimulatorFixture.characteristic(1)
        let start = RemoteInterface(service: "org.bluez", path: path, name: "org.bluez.GattCharacteristic1")
            .call("StartNotify")
        fixture.client.call(start) { [signals = fixture.signals] _ in signals.add("answer") }
        #expect(
            try await fixture.signals.next(3) == [
                "dev1/service/char GattCharacteristic1 Notifying=true", Self.value + "0", "answer",
            ]
        )
        // The same for every new link, before the services are resolved.
        #expect(try await fixture.simulator.ask("disconnect 1") == "ok")
        try await fixture.device(1, "Connect")
        #expect(
            try await fixture.signals.next(4) == [
                "dev1 Device1 Connected=false ServicesResolved=false", "dev1 Device1 Connected=true",
                Self.value + "0", "dev1 Device1 ServicesResolved=true",
            ]
        )
    }

    @Test @EventLoop func `bluetoothd repeats a notification for every subscriber`() async throws {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        let other = try await BusConnection.open(.address(fixture.bus.address))
        let path = SimulatorFixture.characteristic(1)
        let start = RemoteInterface(service: "org.bluez", path: path, name: "org.bluez.GattCharacteristic1")
            .call("StartNotify")
        _ = try await other.call(start)
        try await fixture.characteristic(1, "StartNotify")
        _ = try await fixture.signals.next()
        #expect(try await fixture.simulator.ask("press") == "ok")
        #expect(try await fixture.signals.next(2) == [Self.value + "1", Self.value + "1"])
        // When a client leaves the bus, its subscription ends; the link and the others remain.
        let left = AsyncQueue(of: String?.self)
        let watch = fixture.client.watchName(other.uniqueName) { left.add($0) }
        _ = try await left.next()
        other.close()
        #expect(try await left.next() == nil)
        _ = try await fixture.call("Ping", interface: "org.freedesktop.DBus.Peer", on: "/")
        #expect(try await fixture.simulator.ask("release") == "ok")
        #expect(try await fixture.simulator.ask("press") == "ok")
        #expect(try await fixture.signals.next(2) == [Self.value + "0", Self.value + "1"])
        watch.cancel()
    }

    @Test @EventLoop func `a read returns the level and emits the same signal as a notification`()
        async throws
    {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        _ = try await fixture.simulator.ask("press")
        let read = RemoteInterface(
            service: "org.bluez",
            path: SimulatorFixture.characteristic(1),
            name: "org.bluez.GattCharacteristic1"
        )
        .call("ReadValue", [.properties([:])])
        #expect(try await fixture.client.call(read) == [.bytes([1])])
        #expect(try await fixture.signals.next() == Self.value + "1")
        _ = try await fixture.simulator.ask("sleep")
        #expect(await thrown { try await fixture.client.call(read) }?.message == "Not connected")
        // The last value remains readable as a property: it is not the present state.
        let properties = try await fixture.properties(
            SimulatorFixture.characteristic(1),
            "org.bluez.GattCharacteristic1"
        )
        #expect(properties["Value"] == .bytes([1]))
    }
}
