import DBus
import EventLoop
import Logging
import TestSupport
import Testing

@testable import ptt_accessoryd

@Suite struct BlueZMirrorTests {
    init() { withRunningLoop() }

    private static func path(_ number: Int) -> ObjectPath {
        ObjectPath("/org/bluez/hci0/dev_\(1000 + number)") ?? "/"
    }

    /// A bus allows a connection 512 match rules, and a hostile sender can advertise any number of buttons.
    @Test @EventLoop func `600 devices that may be buttons are watched, and then a few of them`() async throws
    {
        let bus = try await PrivateBus.start()
        let blueZ = try await BusConnection.open(.address(bus.address))
        #expect(try await blueZ.requestName("org.bluez"))
        let manager = try blueZ.export("/", isManager: true)
        var devices = try (0..<600).map { number in
            let address = ExportedProperty("Address", "s") { .string("\(number)") }
            return try blueZ.export(
                Self.path(number),
                [ExportedInterface("org.bluez.Device1", properties: [address])]
            )
        }
        let events = AsyncQueue(of: String.self)
        let handler: @EventLoop (BlueZMirror.Event) -> Void = { event in
            switch event {
            case .appeared: events.add("appeared")
            case .deviceChanged(let path): events.add("changed \(path)")
            case .adapterChanged, .valueReceived, .advertised: break
            case .lost: events.add("lost")
            }
        }
        let mirror = BlueZMirror(log: Logger(label: "test"), shouldWatch: { _ in true }, handler: handler)
        mirror.start(.address(bus.address))
        #expect(try await events.next() == "appeared")
        func change(_ number: Int) throws {
            try blueZ.emit(
                .propertiesChanged(
                    path: Self.path(number),
                    interface: "org.bluez.Device1",
                    changed: ["Connected": .boolean(true)]
                )
            )
        }
        try change(599)
        #expect(try await events.next() == "changed \(Self.path(599))")
        while devices.count > 10 { devices.removeLast().withdraw() }
        for number in (10..<600).reversed() {
            #expect(try await events.next() == "changed \(Self.path(number))")
        }
        // They have a rule each again, and no other device is reported.
        _ = try await mirror.connection?.call(.getManagedObjects(of: "org.bluez"))
        try change(3)
        #expect(try await events.next() == "changed \(Self.path(3))")
        mirror.close()
        manager.withdraw()
        blueZ.close()
    }

    /// As an answer does that is larger than a message may be.
    @Test @EventLoop
    func `a bluetoothd whose answer ends the connection is asked again later, and a new one at once`()
        async throws
    {
        let bus = try await PrivateBus.start()
        let blueZ = try await BusConnection.open(.address(bus.address))
        #expect(try await blueZ.requestName("org.bluez"))
        let events = AsyncQueue(of: String.self)
        let calls = AsyncQueue(of: MethodInvocation.self)
        let get = ExportedMethod("GetManagedObjects", outputs: ["objects": "a{oa{sa{sv}}}"]) { call in
            events.add("asked")
            calls.add(call)
        }
        let manager = try blueZ.export(
            "/",
            [ExportedInterface("org.freedesktop.DBus.ObjectManager", methods: [get])]
        )
        let handler: @EventLoop (BlueZMirror.Event) -> Void = { event in
            switch event {
            case .appeared: events.add("appeared")
            case .deviceChanged, .adapterChanged, .valueReceived, .advertised: break
            case .lost: events.add("lost")
            }
        }
        let mirror = BlueZMirror(
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            backOff: BackOff(first: .seconds(3600), limit: .seconds(3600)),
            shouldWatch: { _ in true },
            handler: handler
        )
        mirror.start(.address(bus.address))
        #expect(try await events.next() == "asked")
        let caller = try await calls.next().sender
        let stranger = try RawBusPeer(bus.address)
        try stranger.signal(
            path: "/",
            interface: "org.example.A",
            member: "Big",
            to: caller,
            signature: "ay",
            body: .marshalledBytes(5 << 20)
        )
        #expect(try await events.next() == "lost")
        try await until { mirror.owner != nil }
        #expect(mirror.unavailability.contains("larger than 4 MiB"))
        await pause(.milliseconds(50))
        // On the new connection it has not been asked, or that would come first.
        blueZ.releaseName("org.bluez")
        #expect(try await blueZ.requestName("org.bluez"))
        #expect(try await events.next(2) == ["lost", "asked"])
        try await calls.next().reply(.dictionary(keys: "o", values: "a{sa{sv}}", [:]))
        #expect(try await events.next() == "appeared")
        withExtendedLifetime(stranger) {}
        mirror.close()
        manager.withdraw()
        blueZ.close()
    }

    @EventLoop private final class State {
        var isConnected = false
    }

    /// The interface for the keys of a headset is what shows that the desktop has connected it.
    @Test @EventLoop func `the state of a device that another program begins to use is read`() async throws {
        let bus = try await PrivateBus.start()
        let blueZ = try await BusConnection.open(.address(bus.address))
        #expect(try await blueZ.requestName("org.bluez"))
        let manager = try blueZ.export("/", isManager: true)
        let state = State()
        let property = ExportedProperty("Connected", "b") { .boolean(state.isConnected) }
        let device = try blueZ.export(
            Self.path(1),
            [ExportedInterface("org.bluez.Device1", properties: [property])]
        )
        let events = AsyncQueue(of: String.self)
        let handler: @EventLoop (BlueZMirror.Event) -> Void = { events.add("\($0)") }
        let mirror = BlueZMirror(log: Logger(label: "test"), shouldWatch: { _ in false }, handler: handler)
        mirror.start(.address(bus.address))
        _ = try await events.next()
        state.isConnected = true
        try blueZ.emit(
            BusSignal(
                path: "/",
                interface: "org.freedesktop.DBus.ObjectManager",
                member: "InterfacesAdded",
                arguments: [
                    .objectPath(Self.path(1)),
                    .dictionary(
                        keys: "s",
                        values: "a{sv}",
                        [.string("org.bluez.MediaControl1"): .properties([:])]
                    ),
                ]
            )
        )
        _ = try await events.first { _ in mirror.objects.devices[Self.path(1)]?.isConnected == true }
        mirror.close()
        device.withdraw()
        manager.withdraw()
        blueZ.close()
    }
}
