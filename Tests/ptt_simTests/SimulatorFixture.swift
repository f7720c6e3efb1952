import DBus
import EventLoop
import TestSupport

/// `ptt-sim` on a private bus, and a client of BlueZ on the same bus.
@EventLoop
final class SimulatorFixture {
    nonisolated static let adapter: ObjectPath = "/org/bluez/hci0"

    let bus: PrivateBus
    let simulator: TestProcess
    let client: BusConnection
    /// Every signal of the simulated BlueZ, as one line each.
    let signals = AsyncQueue(of: String.self)
    private var subscription: Subscription?
    private var objects: [ExportedObject] = []

    init(_ arguments: String...) async throws {
        bus = try await PrivateBus.start()
        let command = [TestProcess.built("ptt-sim"), "--bus", bus.address]
        simulator = try TestProcess(command + arguments)
        let ready = try await simulator.lines.next()
        guard ready == "ready \(bus.address)" else { throw BusError.failed(ready) }
        client = try await BusConnection.open(.address(bus.address))
        subscription = client.subscribe(MatchRule(sender: "org.bluez")) { [signals] in
            signals.add(Self.line($0))
        }
        _ = try await call("Ping", interface: "org.freedesktop.DBus.Peer", on: "/")
    }

    isolated deinit {
        // Before the bus, whose end would be an error for the simulator.
        simulator.kill()
    }

    nonisolated static func device(_ number: Int) -> ObjectPath {
        ObjectPath("/org/bluez/hci0/dev_F0_F1_F2_F3_F4_0\(number)") ?? "/"
    }

    nonisolated static func characteristic(_ number: Int) -> ObjectPath {
        ObjectPath(device(number).text + "/service000a/char000b") ?? "/"
    }

    func call(_ member: String, _ arguments: BusValue..., interface: String, on path: ObjectPath)
        async throws(BusError) -> [BusValue]
    {
        try await client.call(
            RemoteInterface(service: "org.bluez", path: path, name: interface).call(member, arguments)
        )
    }

    func device(_ number: Int, _ member: String) async throws(BusError) {
        _ = try await call(member, interface: "org.bluez.Device1", on: Self.device(number))
    }

    func characteristic(_ number: Int, _ member: String) async throws(BusError) {
        _ = try await call(
            member,
            interface: "org.bluez.GattCharacteristic1",
            on: Self.characteristic(number)
        )
    }

    func adapter(_ member: String, _ arguments: BusValue...) async throws(BusError) {
        _ = try await client.call(
            RemoteInterface(service: "org.bluez", path: Self.adapter, name: "org.bluez.Adapter1")
                .call(member, arguments)
        )
    }

    func properties(_ path: ObjectPath, _ interface: String) async throws -> [BusKey: BusValue] {
        let remote = RemoteInterface(service: "org.bluez", path: path, name: interface)
        let answer = try await client.call(remote.getAll())
        return answer.first?.asProperties ?? [:]
    }

    func trust(_ number: Int) async throws {
        let device = RemoteInterface(
            service: "org.bluez",
            path: Self.device(number),
            name: "org.bluez.Device1"
        )
        _ = try await client.call(device.set("Trusted", to: .boolean(true)))
    }

    /// Registers a `GattProfile1` for a service, so that its devices are connected.
    func registerProfile(_ uuid: String) async throws {
        objects.append(try client.export("/app", isManager: true))
        let uuids = ExportedProperty("UUIDs", "as") { .strings([uuid]) }
        let profile = ExportedInterface("org.bluez.GattProfile1", properties: [uuids])
        objects.append(try client.export("/app/profile", [profile]))
        _ = try await call(
            "RegisterApplication",
            .objectPath("/app"),
            .properties([:]),
            interface: "org.bluez.GattManager1",
            on: Self.adapter
        )
    }

    /// Registers an agent that authorizes everything.
    ///
    /// - Returns: The devices that it has authorized.
    func registerAgent() async throws -> AsyncQueue<ObjectPath?> {
        let asked = AsyncQueue(of: ObjectPath?.self)
        let agent = ExportedInterface(
            "org.bluez.Agent1",
            methods: [
                ExportedMethod("RequestAuthorization", inputs: ["device": "o"]) { call in
                    asked.add(call.arguments[0].asObjectPath)
                    call.reply()
                }
            ]
        )
        objects.append(try client.export("/agent", [agent]))
        _ = try await call(
            "RegisterAgent",
            .objectPath("/agent"),
            .string("NoInputNoOutput"),
            interface: "org.bluez.AgentManager1",
            on: "/org/bluez"
        )
        return asked
    }

    /// Finds button 1 by discovery, and consumes the signals of that.
    func discover() async throws {
        try await adapter("StartDiscovery")
        _ = try await signals.first { $0.hasPrefix("added dev1") }
        try await adapter("StopDiscovery")
        _ = try await signals.first { $0 == "hci0 Adapter1 Discovering=false" }
    }

    /// `hci0 Adapter1 Powered=false`, `dev1/char Value=01`, `added dev1 Device1`, …
    private nonisolated static func line(_ signal: BusSignal) -> String {
        if let change = signal.propertyChanges {
            let values = change.changed.map { "\($0)=\(text($1))" } + change.invalidated.map { "\($0)=?" }
            let interface = change.interface.split(separator: ".").last ?? ""
            return ([short(signal.path), String(interface)] + values.sorted()).joined(separator: " ")
        }
        let path = signal.arguments.first?.asObjectPath ?? "/"
        let names = signal.arguments.last?.asInterfaces?.keys.map(\.text)
        let interfaces = names ?? signal.arguments.last?.asStrings ?? []
        let verb = signal.member == "InterfacesAdded" ? "added" : "removed"
        let short = interfaces.map { String($0.split(separator: ".").last ?? "") }.sorted()
        return ([verb, self.short(path)] + short).joined(separator: " ")
    }

    private nonisolated static func short(_ path: ObjectPath) -> String {
        guard path != adapter else { return "hci0" }
        let words = path.text.dropFirst("/org/bluez/hci0/dev_F0_F1_F2_F3_F4_0".count).split(separator: "/")
        let names = ["service000a": "service", "char000b": "char"]
        return "dev"
            + ([words.first ?? ""] + words.dropFirst().compactMap { names[String($0)].map { $0[...] } })
            .joined(separator: "/")
    }

    private nonisolated static func text(_ value: BusValue) -> String {
        if let bytes = value.asBytes { return bytes.map { String($0, radix: 16) }.joined(separator: ",") }
        if let flag = value.asBool { return "\(flag)" }
        if let number = value.asInt { return "\(number)" }
        return value.asString ?? "…"
    }
}
