import DBus
import EventLoop
import TestSupport
import Testing

@Suite struct FaultTests {
    init() { withRunningLoop() }

    static let gone = "dev1 Device1 Connected=false ServicesResolved=false"

    @Test @EventLoop func `the link of a vanished button is lost after the supervision timeout`() async throws
    {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        try await fixture.registerProfile(LinkTests.ffe0)
        let start = MonotonicInstant.now
        #expect(try await fixture.simulator.ask("vanish 1") == "ok")
        #expect(MonotonicInstant.now - start >= .seconds(1))
        #expect(try await fixture.signals.next() == Self.gone)
        #expect(try await fixture.simulator.ask("return 1") == "ok")
        #expect(try await fixture.signals.next() == "dev1 Device1 Connected=true")
    }

    @Test @EventLoop func `a button that returns before the timeout stays connected`() async throws {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        fixture.simulator.write("vanish 1")
        fixture.simulator.write("return 1")
        #expect(try await fixture.simulator.lines.next(2) == ["ok", "ok"])
        let properties = try await fixture.properties(SimulatorFixture.device(1), "org.bluez.Device1")
        #expect(properties["Connected"] == .boolean(true))
    }

    @Test @EventLoop func `power off ends the links first and power on brings them back`() async throws {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        try await fixture.registerProfile(LinkTests.ffe0)
        #expect(try await fixture.simulator.ask("power off") == "ok")
        #expect(
            try await fixture.signals.next(2) == [Self.gone, "hci0 Adapter1 Discovering=false Powered=false"]
        )
        #expect(await thrown { try await fixture.device(1, "Connect") }?.message == "Input/output error")
        #expect(
            await thrown { try await fixture.adapter("StartDiscovery") }?.name == "org.bluez.Error.NotReady"
        )
        let adapter = RemoteInterface(
            service: "org.bluez",
            path: SimulatorFixture.adapter,
            name: "org.bluez.Adapter1"
        )
        _ = try await fixture.client.call(adapter.set("Powered", to: .boolean(true)))
        #expect(
            try await fixture.signals.next(2)
                == ["hci0 Adapter1 Powered=true", "dev1 Device1 Connected=true"]
        )
    }

    @Test @EventLoop
    func `an unplugged adapter removes all its objects, and a plugged one restores the bond`()
        async throws
    {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        #expect(try await fixture.simulator.ask("unplug") == "ok")
        #expect(
            try await fixture.signals.next(6) == [
                "hci0 Adapter1 Discovering=false Powered=false", Self.gone,
                "removed dev1/service/char GattCharacteristic1", "removed dev1/service GattService1",
                "removed dev1 Device1", "removed hci0 Adapter1 GattManager1",
            ]
        )
        #expect(try await fixture.simulator.ask("power on") == "error: there is no adapter; use plug")
        #expect(try await fixture.simulator.ask("plug") == "ok")
        #expect(
            try await fixture.signals.next(2) == ["added hci0 Adapter1 GattManager1", "added dev1 Device1"]
        )
        let properties = try await fixture.properties(SimulatorFixture.device(1), "org.bluez.Device1")
        #expect(properties["Connected"] == .boolean(false))
        #expect(properties["Paired"] == .boolean(true))
    }

    @Test @EventLoop func `a crash is visible only as the loss of the name's owner`() async throws {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        let owners = AsyncQueue(of: String?.self)
        let watch = fixture.client.watchName("org.bluez") { owners.add($0) }
        let first = try await owners.next()
        #expect(try await fixture.simulator.ask("crash") == "ok")
        #expect(try await owners.next() == nil)
        #expect(try await fixture.simulator.ask("press").hasPrefix("error: not notified"))
        #expect(try await fixture.simulator.ask("revive") == "ok")
        let second = try await owners.next()
        #expect(second != nil && second != first)
        // The first signals since the start: the new instance adds its objects after acquiring the name.
        let added = try await fixture.signals.first { $0.hasPrefix("added dev1") }
        #expect(added == "added dev1 Device1")
        try await fixture.registerProfile(LinkTests.ffe0)
        #expect(try await fixture.signals.next() == "dev1 Device1 Connected=true")
        watch.cancel()
    }
}
