import DBus
import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

@Suite(.serialized) struct ServiceTests {
    init() { withRunningLoop() }

    @Test(arguments: ["ffe0", "aina", "nordic-led-button"]) @EventLoop
    func `a button is found and paired, and its press begins a transmission`(kind: String) async throws {
        let fixture = try await AccessoryFixture.start(buttons: [kind], known: false)
        let found = try await fixture.scan()
        #expect(found.address == first)
        #expect(!found.isPaired)
        let device = try await fixture.pair()
        #expect(device.identifier == first)
        #expect(device.link == .ready)
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a paired button reconnects automatically`() async throws {
        let fixture = try await AccessoryFixture.start(known: false)
        _ = try await fixture.scan()
        _ = try await fixture.pair()
        try await fixture.simulate("sleep")
        _ = try await fixture.events.first { $0.device?.link == .away }
        try await fixture.simulate("wake")
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a forgotten button is removed`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        let _: Nothing = try await fixture.call("Forget", ["address": .string(first)])
        #expect(try await fixture.next(.deviceRemoved).device?.identifier == first)
        let reply: AccessoryInterface.DevicesReply = try await fixture.call("GetDevices")
        #expect(reply.devices.isEmpty)
    }

    @Test @EventLoop func `an unknown address cannot be paired`() async throws {
        let fixture = try await AccessoryFixture.start()
        let error = try await fixture.failure("Pair", ["address": "00:11:22:33:44:55"])
        #expect(error == AccessoryInterface.deviceNotFound)
        #expect(
            try await fixture.failure("Pair", ["address": "nonsense"])
                == "org.varlink.service.InvalidParameter"
        )
    }

    @Test @EventLoop func `nothing is found while the adapter is off or unplugged`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("power off")
        // Not when the device is away: BlueZ says that before it says that the adapter is off.
        try await until {
            try await fixture.failure("Pair", ["address": .string(first)])
                == AccessoryInterface.bluetoothUnavailable
        }
        try await fixture.simulate("unplug")
        try await fixture.next(.deviceRemoved)
        #expect(
            try await fixture.failure("Pair", ["address": .string(first)])
                == AccessoryInterface.bluetoothUnavailable
        )
    }

    @Test @EventLoop func `a subscription begins with all devices and counts its events`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        let client = try fixture.client()
        defer { client.close() }
        let updates = AsyncQueue(of: AccessoryInterface.Update.self)
        client.subscribe("\(AccessoryInterface.name).Subscribe") { answer, _ in
            if case .success(let parameters) = answer,
                let update = try? parameters.decode(AccessoryInterface.Update.self)
            {
                updates.add(update)
            }
        }
        let first = try await updates.next()
        #expect(first.devices?.map(\.link) == [.ready])
        try await fixture.simulate("press")
        try await fixture.simulate("release")
        let events = try await updates.next(2)
        #expect(events.map(\.sequence) == [first.sequence + 1, first.sequence + 2])
        #expect(events.map(\.event?.kind) == [.pressed, .released])
        #expect(events[0].event?.device?.isPressed == true)
    }

    @Test @EventLoop func `a scan needs a client that accepts several replies`() async throws {
        let fixture = try await AccessoryFixture.start()
        #expect(try await fixture.failure("Scan", ["seconds": 5]) == "org.varlink.service.ExpectedMore")
        #expect(try await fixture.failure("Scan", ["seconds": 0]) == "org.varlink.service.InvalidParameter")
    }

    /// bluetoothd refuses to end what has not begun yet.
    @Test @EventLoop func `a scan that ends before it has begun leaves no discovery`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        let bus = try await BusConnection.open(.address(fixture.bus.address))
        let changes = AsyncQueue(of: Bool?.self)
        let adapter = RemoteInterface(
            service: "org.bluez",
            path: "/org/bluez/hci0",
            name: "org.bluez.Adapter1"
        )
        let subscription = bus.subscribe(adapter.propertyChanges) {
            changes.add($0.propertyChanges?.changed["Discovering"]?.asBool)
        }
        for _ in 1...2 {
            // Known: it is found in the call.
            _ = try await fixture.scan()
            _ = try await changes.first { $0 == true }
            _ = try await changes.first { $0 == false }
        }
        subscription.cancel()
        bus.close()
    }
}
