import AccessoryCore
import DBus
import EventLoop
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

@Suite struct LearnTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01"
    private static let characteristicChanges = MatchRule(
        sender: "org.bluez",
        pathNamespace: device,
        interface: "org.freedesktop.DBus.Properties",
        member: "PropertiesChanged",
        firstArgument: "org.bluez.GattCharacteristic1"
    )

    init() { withRunningLoop() }

    @Test @EventLoop func `what a button sends is passed to the client that learns it`() async throws {
        let fixture = try await AccessoryFixture.start(known: false)
        _ = try await fixture.scan()
        let listener = try Listener(fixture)
        let device = try #require(try await listener.next().device)
        #expect(device.identity == "bluetooth:\(first)")
        #expect(device.transport == "gatt")
        let before = MonotonicInstant.now.nanoseconds / 1000
        try await fixture.simulate("raw 1 a5")
        let frame = try #require(try await listener.next().frame)
        #expect(frame.value == "a5")
        #expect(frame.characteristic == "0000ffe1-0000-1000-8000-00805f9b34fb")
        #expect(Int64(frame.time) >= before)
    }

    @Test @EventLoop func `nothing transmits while a button is learned, and held buttons stay released`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0", "ffe0"])
        try await fixture.ready(2)
        let listener = try Listener(fixture)
        _ = try await listener.next()
        try await fixture.next(.coreLost)
        try await fixture.simulate("press 2")
        let ignored = try await fixture.next(.ignored)
        #expect(ignored.remark == "not transmitting: an accessory is being learned: see `pttctl learn`")
        listener.close()
        try await fixture.next(.coreConnected)
        // It is held: only a fresh press counts.
        try await fixture.simulate("release 2")
        try await fixture.simulate("press 2")
        let core = try #require(fixture.core)
        _ = try await core.requests.first { if case .begin = $0 { true } else { false } }
    }

    @Test @EventLoop func `a transmission ends when learning begins`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0", "ffe0"])
        try await fixture.ready(2)
        try await fixture.simulate("press 2")
        _ = try await fixture.asked()
        let listener = try Listener(fixture)
        // The core ends it with the connection.
        try await fixture.next(.coreLost)
        _ = try await listener.next()
    }

    @Test @EventLoop func `the loss of the link ends learning with the reason`() async throws {
        let fixture = try await AccessoryFixture.start(known: false)
        _ = try await fixture.scan()
        let listener = try Listener(fixture)
        _ = try await listener.next()
        try await fixture.simulate("disconnect 1")
        #expect(try await listener.failure() == "the connection to the button was lost")
        try await fixture.next(.coreConnected)
    }

    @Test @EventLoop func `a client that goes away while notifications are turned on leaves none on`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(buttons: ["aina", "ffe0"], enrolled: false)
        try fixture.enrol([Enrolment(AccessoryFixture.address(of: 2))])
        try await fixture.ready()
        // The core is connected.
        try await fixture.simulate("press 2")
        _ = try await fixture.asked()
        try await fixture.simulate("release 2")
        _ = try await fixture.asked()
        let stranger = try await BusConnection.open(.address(fixture.bus.address))
        let changes = AsyncQueue(of: Bool.self)
        let watch = stranger.subscribe(Self.characteristicChanges) { signal in
            if let isOn = signal.propertyChanges?.changed["Notifying"]?.asBool { changes.add(isOn) }
        }
        // The bus answers it after it has added the rule.
        _ = try await stranger.call(.getManagedObjects(of: "org.bluez"))
        fixture.simulator?.signal(SIGSTOP)
        let listener = try Listener(fixture)
        try await fixture.next(.coreLost)
        listener.close()
        try await fixture.next(.coreConnected)
        fixture.simulator?.signal(SIGCONT)
        #expect(try await changes.next(2) == [true, false])
        await pause(.milliseconds(50))
        let objects = try await stranger.call(.getManagedObjects(of: "org.bluez")).first?.asManagedObjects
        let notifying = try #require(objects).filter {
            $0.key.isWithin(Self.device)
                && $0.value["org.bluez.GattCharacteristic1"]?["Notifying"]?.asBool == true
        }
        #expect(notifying.isEmpty)
        watch.cancel()
        stranger.close()
    }

    @Test @EventLoop func `a flood ends learning, and the core is connected again`() async throws {
        let fixture = try await AccessoryFixture.start(known: false)
        _ = try await fixture.scan()
        let listener = try Listener(fixture)
        _ = try await listener.next()
        let value = String(repeating: "5a", count: 500)
        do {
            for _ in 0..<140 { try await fixture.simulate("raw 1 \(value)") }
        } catch {
            // ptt-accessoryd has disconnected it meanwhile.
        }
        #expect(try await listener.failure() == "it sends too much")
        try await fixture.next(.coreConnected)
    }

    @Test @EventLoop func `a second client and an unknown device are refused`() async throws {
        let fixture = try await AccessoryFixture.start(known: false)
        _ = try await fixture.scan()
        let listener = try Listener(fixture)
        _ = try await listener.next()
        let second = try Listener(fixture)
        #expect(
            try await second.failure() == "another device is being learned: wait until that is done"
        )
        listener.close()
        try await fixture.next(.coreConnected)
        let unknown = try Listener(fixture, "00:00:00:00:00:01")
        #expect(try await unknown.failure().hasPrefix("00:00:00:00:00:01 is unknown"))
        let keyboard = try Listener(fixture, "path:keyboard")
        #expect(try await keyboard.failure().contains("is not an accessory that may be opened"))
    }
}

/// A client of `Learn`.
@EventLoop
private final class Listener {
    private let client: VarlinkClient
    private let replies = AsyncQueue(of: AccessoryInterface.LearnReply.self)
    private let failures = AsyncQueue(of: String.self)

    init(_ fixture: AccessoryFixture, _ device: String? = nil) throws {
        client = try fixture.client()
        let (replies, failures) = (replies, failures)
        let parameters: JSONText = ["device": .string(device ?? first)]
        client.subscribe("\(AccessoryInterface.name).Learn", parameters) { answer, _ in
            switch answer {
            case .success(let parameters):
                if let reply = try? parameters.decode(AccessoryInterface.LearnReply.self) {
                    replies.add(reply)
                }
            case .failure(.answered(let error)):
                failures.add(error.parameters["reason"]?.string ?? error.name)
            case .failure(let error): failures.add("\(error)")
            }
        }
    }

    func next() async throws -> AccessoryInterface.LearnReply { try await replies.next() }
    func failure() async throws -> String { try await failures.next() }
    func close() { client.close() }
}
