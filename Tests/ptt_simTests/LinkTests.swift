import DBus
import EventLoop
import TestSupport
import Testing

@Suite struct LinkTests {
    init() { withRunningLoop() }

    static let ffe0 = "0000ffe0-0000-1000-8000-00805f9b34fb"

    @Test @EventLoop func `known buttons are paired, trusted and connected with their services`() async throws
    {
        let fixture = try await SimulatorFixture("--known")
        let answer = try await fixture.client.call(.getManagedObjects(of: "org.bluez"))
        let objects = try #require(answer.first?.asManagedObjects)
        #expect(objects["/org/bluez/hci0"]?["org.bluez.Adapter1"]?["Powered"] == .boolean(true))
        let expected = [
            (1, "PTT", Self.ffe0, "0000ffe1-0000-1000-8000-00805f9b34fb"),
            (
                2, "ASB01", "127face1-cb21-11e5-93d0-0002a5d5c51b",
                "127fbeef-cb21-11e5-93d0-0002a5d5c51b"
            ),
            (
                3, "Nordic_Blinky", "00001523-1212-efde-1523-785feabcd123",
                "00001524-1212-efde-1523-785feabcd123"
            ),
        ]
        for (number, name, service, characteristic) in expected {
            let device = try #require(objects[SimulatorFixture.device(number)]?["org.bluez.Device1"])
            #expect(device["Name"] == .string(name))
            #expect(device["UUIDs"] == .strings([service]))
            for flag in ["Paired", "Bonded", "Trusted", "Connected", "ServicesResolved"] {
                #expect(device[BusKey(flag)] == .boolean(true))
            }
            #expect(device["RSSI"] == nil)
            let gatt = objects[SimulatorFixture.characteristic(number)]?["org.bluez.GattCharacteristic1"]
            #expect(gatt?["UUID"] == .string(characteristic))
            #expect(gatt?["Flags"]?.asStrings?.contains("notify") == true)
            #expect(gatt?["Notifying"] == .boolean(false))
        }
    }

    @Test @EventLoop func `a button is found by discovery, connected, and then its services appear`()
        async throws
    {
        let fixture = try await SimulatorFixture("--button", "ffe0:My Button")
        #expect(await thrown { try await fixture.device(1, "Connect") }?.kind == .unknownObject)
        try await fixture.adapter("StartDiscovery")
        #expect(
            try await fixture.signals.next(2) == ["hci0 Adapter1 Discovering=true", "added dev1 Device1"]
        )
        #expect(
            try await fixture.properties(SimulatorFixture.device(1), "org.bluez.Device1")["RSSI"]
                == .int16(-50)
        )
        try await fixture.adapter("StopDiscovery")
        #expect(
            try await fixture.signals.next(2) == ["dev1 Device1 RSSI=?", "hci0 Adapter1 Discovering=false"]
        )
        try await fixture.device(1, "Connect")
        #expect(
            try await fixture.signals.next(4) == [
                "dev1 Device1 Connected=true", "added dev1/service GattService1",
                "added dev1/service/char GattCharacteristic1", "dev1 Device1 ServicesResolved=true",
            ]
        )
        let properties = try await fixture.properties(SimulatorFixture.device(1), "org.bluez.Device1")
        #expect(properties["Alias"] == .string("My Button"))
        #expect(properties["Paired"] == .boolean(false))
    }

    @Test @EventLoop func `discovery belongs to the client that started it`() async throws {
        let fixture = try await SimulatorFixture("--button", "ffe0")
        let other = try await BusConnection.open(.address(fixture.bus.address))
        let start = RemoteInterface(
            service: "org.bluez",
            path: SimulatorFixture.adapter,
            name: "org.bluez.Adapter1"
        )
        .call("StartDiscovery")
        _ = try await other.call(start)
        #expect(try await fixture.signals.next() == "hci0 Adapter1 Discovering=true")
        #expect(await thrown { try await other.call(start) }?.name == "org.bluez.Error.InProgress")
        #expect(
            await thrown { try await fixture.adapter("StopDiscovery") }?.name == "org.bluez.Error.Failed"
        )
        other.close()
        _ = try await fixture.signals.first { $0 == "hci0 Adapter1 Discovering=false" }
    }

    @Test @EventLoop func `a discovery filter hides other buttons`() async throws {
        let fixture = try await SimulatorFixture()
        try await fixture.adapter("SetDiscoveryFilter", .properties(["UUIDs": .strings([Self.ffe0])]))
        try await fixture.adapter("StartDiscovery")
        _ = try await fixture.signals.first { $0 == "added dev1 Device1" }
        let objects = try await fixture.client.call(.getManagedObjects(of: "org.bluez")).first?
            .asManagedObjects
        #expect(objects?[SimulatorFixture.device(2)] == nil && objects?[SimulatorFixture.device(3)] == nil)
    }

    @Test @EventLoop func `pairing needs an agent, asks it, and is reported`() async throws {
        let fixture = try await SimulatorFixture("--button", "aina")
        try await fixture.discover()
        let error = await thrown { try await fixture.device(1, "Pair") }
        #expect(error?.name == "org.bluez.Error.AuthenticationFailed")
        let asked = try await fixture.registerAgent()
        _ = try await fixture.signals.first { $0 == "dev1 Device1 ServicesResolved=true" }
        try await fixture.device(1, "Pair")
        #expect(try await asked.next() == SimulatorFixture.device(1))
        #expect(try await fixture.signals.next() == "dev1 Device1 Bonded=true Paired=true")
        let again = await thrown { try await fixture.device(1, "Pair") }
        #expect(again?.name == "org.bluez.Error.AlreadyExists")
    }

    @Test @EventLoop func `pairing before the services are resolved succeeds without an answer`() async throws
    {
        let fixture = try await SimulatorFixture("--button", "aina", "--services-after", "30")
        try await fixture.discover()
        _ = try await fixture.registerAgent()
        try await fixture.device(1, "Connect")
        let pair = RemoteInterface(
            service: "org.bluez",
            path: SimulatorFixture.device(1),
            name: "org.bluez.Device1"
        )
        .call("Pair")
        let error = await thrown { try await fixture.client.call(pair, timeout: .milliseconds(200)) }
        #expect(error?.kind == .noReply)
        #expect(
            try await fixture.properties(SimulatorFixture.device(1), "org.bluez.Device1")["Paired"]
                == .boolean(true)
        )
    }

    @Test @EventLoop func `a trusted button with a registered profile reconnects automatically`() async throws
    {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        try await fixture.registerProfile(Self.ffe0)
        try await fixture.characteristic(1, "StartNotify")
        #expect(try await fixture.signals.next() == "dev1/service/char GattCharacteristic1 Notifying=true")
        #expect(try await fixture.simulator.ask("disconnect") == "ok")
        #expect(
            try await fixture.signals.next(3) == [
                "dev1 Device1 Connected=false ServicesResolved=false", "dev1 Device1 Connected=true",
                "dev1 Device1 ServicesResolved=true",
            ]
        )
        #expect(try await fixture.simulator.ask("press") == "ok")
        #expect(try await fixture.signals.next() == "dev1/service/char GattCharacteristic1 Value=1")
    }

    @Test @EventLoop func `a button reconnects when the profile is registered after it advertises again`()
        async throws
    {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        #expect(try await fixture.simulator.ask("sleep 1") == "ok")
        #expect(try await fixture.simulator.ask("wake 1") == "ok")
        #expect(try await fixture.signals.next() == "dev1 Device1 Connected=false ServicesResolved=false")
        try await fixture.registerProfile(Self.ffe0)
        #expect(try await fixture.signals.next() == "dev1 Device1 Connected=true")
    }

    @Test @EventLoop func `a connection attempt waits for a sleeping button and can be cancelled`()
        async throws
    {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        #expect(try await fixture.simulator.ask("sleep 1") == "ok")
        let attempts = AsyncQueue(of: String.self)
        let connect = RemoteInterface(
            service: "org.bluez",
            path: SimulatorFixture.device(1),
            name: "org.bluez.Device1"
        )
        .call("Connect")
        let report: BusConnection.Completion = { result in
            switch result {
            case .success: attempts.add("connected")
            case .failure(let error): attempts.add(error.message)
            }
        }
        fixture.client.call(connect, completion: report)
        fixture.client.call(connect, completion: report)
        #expect(try await attempts.next() == "Operation already in progress")
        try await fixture.device(1, "Disconnect")
        #expect(try await attempts.next() == "br-connection-canceled")
        fixture.client.call(connect, completion: report)
        _ = try await fixture.call("Ping", interface: "org.freedesktop.DBus.Peer", on: "/")
        #expect(try await fixture.simulator.ask("wake 1") == "ok")
        #expect(try await attempts.next() == "connected")
    }

    @Test @EventLoop func `a removed device is found again as untrusted`() async throws {
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known")
        try await fixture.adapter("RemoveDevice", .objectPath(SimulatorFixture.device(1)))
        #expect(
            try await fixture.signals.next(4) == [
                "dev1 Device1 Connected=false ServicesResolved=false",
                "removed dev1/service/char GattCharacteristic1", "removed dev1/service GattService1",
                "removed dev1 Device1",
            ]
        )
        try await fixture.discover()
        let properties = try await fixture.properties(SimulatorFixture.device(1), "org.bluez.Device1")
        #expect(properties["Trusted"] == .boolean(false))
    }
}

/// The error that `operation` throws, or nil.
@EventLoop
func thrown(by operation: @EventLoop () async throws -> some Any) async -> BusError? {
    do {
        _ = try await operation()
        return nil
    } catch {
        return error as? BusError
    }
}
