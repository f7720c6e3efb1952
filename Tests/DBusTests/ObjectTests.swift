import DBus
import EventLoop
import TestSupport
import Testing

@Suite struct ObjectTests {
    init() { withRunningLoop() }

    @EventLoop
    final class Lamp {
        var isOn = false
        var object: ExportedObject?

        var interface: ExportedInterface {
            ExportedInterface(
                "org.example.Lamp",
                methods: [
                    ExportedMethod("Toggle", outputs: ["on": "b"]) { [self] invocation in
                        isOn.toggle()
                        object?.emitPropertiesChanged("org.example.Lamp", ["On"])
                        invocation.reply(.boolean(isOn))
                    }
                ],
                properties: [
                    ExportedProperty("On", "b") { [unowned self] in
                        .boolean(isOn)
                    } set: { [unowned self] value throws(BusError) in
                        isOn = value.asBool ?? false
                        object?.emitPropertiesChanged("org.example.Lamp", ["On"])
                    },
                    ExportedProperty("Colour", "s", get: { .string("white") }),
                    ExportedProperty("Broken", "b", get: { nil }),
                ],
                signals: [ExportedSignal("Flickered", arguments: ["times": "u"])]
            )
        }
    }

    @Test @EventLoop func `properties can be read and set, and their changes are emitted`() async throws {
        let peers = try await Peers()
        let lamp = Lamp()
        lamp.object = try peers.service.export("/lamp", [lamp.interface])
        let changes = AsyncQueue(of: PropertyChanges?.self)
        let subscription = peers.client.subscribe(Self.remote.propertyChanges) {
            changes.add($0.propertyChanges)
        }
        defer { subscription.cancel() }

        #expect(try await peers.client.call(Self.remote.get("On")).first?.asBool == false)
        #expect(try await peers.client.call(Self.remote.set("On", to: .boolean(true))) == [])
        #expect(try await changes.next()?.changed == ["On": .boolean(true)])
        #expect(
            try await peers.client.call(Self.remote.getAll()).first?.asProperties
                == ["On": .boolean(true), "Colour": .string("white")]
        )
    }

    static let remote = RemoteInterface(service: Peers.name, path: "/lamp", name: "org.example.Lamp")

    static let wrong: [(MethodCall, String)] = [
        (remote.get("Nonsense"), "UnknownProperty"),
        (remote.get("Broken"), "UnknownProperty"),
        (
            RemoteInterface(service: Peers.name, path: "/lamp", name: "org.example.Nonsense").get("On"),
            "UnknownInterface"
        ),
        (remote.set("Colour", to: .string("red")), "PropertyReadOnly"),
        (remote.set("On", to: .string("yes")), "InvalidArgs"),
        (
            RemoteInterface(service: Peers.name, path: "/lamp", name: "org.freedesktop.DBus.Properties")
                .call("Get"), "InvalidArgs"
        ),
    ]

    @Test(arguments: wrong) @EventLoop
    func `a wrong use of properties is answered with the standard error`(call: MethodCall, error: String)
        async throws
    {
        let peers = try await Peers()
        let lamp = Lamp()
        lamp.object = try peers.service.export("/lamp", [lamp.interface])
        let thrown = await BusError.thrown { try await peers.client.call(call) }
        #expect(thrown?.name == "org.freedesktop.DBus.Error." + error)
    }

    @Test @EventLoop func `an object manager lists its objects and announces added and removed ones`()
        async throws
    {
        let peers = try await Peers()
        let manager = try peers.service.export("/lamps", isManager: true)
        let lamp = Lamp()
        let first = try peers.service.export("/lamps/1", [lamp.interface])
        let signals = AsyncQueue(of: BusSignal.self)
        let rule = MatchRule.managedObjects(of: Peers.name, path: "/lamps")
        let subscription = peers.client.subscribe(rule) { signals.add($0) }
        defer { subscription.cancel() }
        let answer = try await peers.client.call(.getManagedObjects(of: Peers.name, path: "/lamps"))
        let properties: [BusKey: BusValue] = ["On": .boolean(false), "Colour": .string("white")]
        #expect(answer.first?.asManagedObjects == ["/lamps/1": ["org.example.Lamp": properties]])

        var second: ExportedObject? = try peers.service.export("/lamps/2", [lamp.interface])
        let added = try await signals.next()
        #expect(added.member == "InterfacesAdded")
        #expect(added.arguments.first == .objectPath("/lamps/2"))
        #expect(added.arguments.last?.asInterfaces == ["org.example.Lamp": properties])

        #expect(second?.path == "/lamps/2")
        second = nil
        let removed = try await signals.next()
        #expect(removed.member == "InterfacesRemoved")
        #expect(removed.arguments == [.objectPath("/lamps/2"), .strings(["org.example.Lamp"])])
        first.withdraw()
        manager.withdraw()
    }

    @Test @EventLoop func `a withdrawn object can be exported again`() async throws {
        let peers = try await Peers()
        let lamp = Lamp()
        let first = try peers.service.export("/lamp", [lamp.interface])
        #expect(throws: BusError.self) { try peers.service.export("/lamp", [lamp.interface]) }
        first.withdraw()
        let second = try peers.service.export("/lamp", [lamp.interface])
        first.withdraw()
        let call = RemoteInterface(service: Peers.name, path: "/lamp", name: "org.example.Lamp")
            .call("Toggle")
        #expect(try await peers.client.call(call) == [.boolean(true)])
        second.withdraw()
    }

    @Test @EventLoop func `another implementation of D-Bus can use the objects`() async throws {
        let peers = try await Peers()
        let lamp = Lamp()
        lamp.object = try peers.service.export("/house/lamp", [lamp.interface])
        let busctl = ["busctl", "--address=\(peers.bus.address)"]
        let tree = try TestProcess(busctl + ["tree", "--list", Peers.name])
        #expect(
            try await tree.lines.next(6)
                == ["/", "/house", "/house/lamp", "/org", "/org/example", "/org/example/service"]
        )
        let description = try TestProcess(
            busctl + ["introspect", "--no-legend", Peers.name, "/house/lamp", "org.example.Lamp"]
        )
        let members = try await description.lines.next(5).map { $0.split(separator: " ").prefix(3) }
        #expect(
            members == [
                [".Toggle", "method", "-"], [".Broken", "property", "b"], [".Colour", "property", "s"],
                [".On", "property", "b"], [".Flickered", "signal", "u"],
            ]
        )
        let call = try TestProcess(
            busctl + ["call", Peers.name, "/house/lamp", "org.example.Lamp", "Toggle"]
        )
        #expect(try await call.lines.next() == "b true")
    }
}
