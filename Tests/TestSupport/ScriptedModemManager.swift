import DBus
package import EventLoop

/// The part of org.freedesktop.ModemManager1 that reports calls, with one modem.
@EventLoop
package final class ScriptedModemManager {
    /// The values of `MMCallState`.
    package enum State: Int32, Sendable {
        case unknown, dialing, ringingOut, ringingIn, active, held, waiting, terminated
    }

    private let connection: BusConnection
    private var objects: [ObjectPath: ExportedObject] = [:]
    private var states: [Int: Int32] = [:]
    private var hasModem = true
    /// Calls are not answered, but held, and dropped with it.
    private var isSilent: Bool
    private var held: [MethodInvocation] = []
    /// Receives an element for each listing of the modems.
    package let listings = AsyncQueue(of: Void.self)
    /// Receives the number of each call whose state is read.
    package let reads = AsyncQueue(of: Int.self)

    private static let root: ObjectPath = "/org/freedesktop/ModemManager1"
    private static let modem: ObjectPath = "/org/freedesktop/ModemManager1/Modem/0"
    private static let voice = "org.freedesktop.ModemManager1.Modem.Voice"
    private static let call = "org.freedesktop.ModemManager1.Call"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"

    /// The calls exist already. A silent service does not answer.
    package static func start(
        _ address: String,
        calls: [Int: State] = [:],
        isSilent: Bool = false
    ) async throws -> ScriptedModemManager {
        let connection = try await BusConnection.open(.address(address))
        let service = ScriptedModemManager(connection, isSilent: isSilent)
        try service.export()
        for (number, state) in calls { try service.addSilently(number, state.rawValue) }
        _ = try await connection.requestName("org.freedesktop.ModemManager1")
        return service
    }

    private init(_ connection: BusConnection, isSilent: Bool) {
        self.connection = connection
        self.isSilent = isSilent
    }

    // Not as a manager of this library, which would announce calls too: ModemManager announces modems only.
    private func export() throws {
        let list = ExportedMethod("GetManagedObjects", outputs: ["objects": "a{oa{sa{sv}}}"]) {
            [weak self] call in
            guard let self else { return }
            listings.add(())
            if isSilent { held.append(call) } else { call.reply(managedObjects) }
        }
        objects[Self.root] = try connection.export(
            Self.root,
            [ExportedInterface(Self.objectManager, methods: [list])]
        )
    }

    private var managedObjects: BusValue {
        let entries = hasModem ? [BusValue.objectPath(Self.modem): interfaces] : [:]
        return .dictionary(keys: "o", values: "a{sa{sv}}", entries)
    }

    private var interfaces: BusValue {
        let paths = states.keys.sorted().map { BusValue.objectPath(path($0)) }
        let voice = BusValue.properties(["Calls": .array(of: "o", paths)])
        return .dictionary(keys: "s", values: "a{sv}", [.string(Self.voice): voice])
    }

    private func path(_ number: Int) -> ObjectPath {
        ObjectPath("/org/freedesktop/ModemManager1/Call/\(number)") ?? "/"
    }

    private func addSilently(_ number: Int, _ state: Int32) throws {
        states[number] = state
        let property = ExportedProperty("State", "i") { [weak self] in
            // The property is also read when the object is exported.
            if self?.objects[self?.path(number) ?? "/"] != nil { self?.reads.add(number) }
            return self?.states[number].map { .int32($0) }
        }
        let interface = ExportedInterface(Self.call, properties: [property])
        objects[path(number)] = try connection.export(path(number), [interface])
    }

    // MARK: Events

    /// It is silent no more, and answers what it was asked.
    package func answer() {
        isSilent = false
        for call in held { call.reply(managedObjects) }
        held = []
    }

    /// Ends as in a crash.
    package func crash() { connection.close() }

    package func add(_ number: Int, _ state: State) throws {
        try addSilently(number, state.rawValue)
        try emit("CallAdded", Self.modem, Self.voice, .objectPath(path(number)))
    }

    package func change(_ number: Int, _ state: State) throws {
        try change(number, rawState: state.rawValue)
    }

    package func change(_ number: Int, rawState state: Int32) throws {
        let old = states[number] ?? 0
        states[number] = state
        try emit("StateChanged", path(number), Self.call, .int32(old), .int32(state), .uint32(0))
    }

    package func delete(_ number: Int) throws {
        states[number] = nil
        objects[path(number)] = nil
        try emit("CallDeleted", Self.modem, Self.voice, .objectPath(path(number)))
    }

    /// Its calls end without a signal.
    package func unplugModem() throws {
        hasModem = false
        for number in states.keys { objects[path(number)] = nil }
        states = [:]
        let names = BusValue.strings([Self.voice])
        try emit("InterfacesRemoved", Self.root, Self.objectManager, .objectPath(Self.modem), names)
    }

    private func emit(_ member: String, _ path: ObjectPath, _ interface: String, _ arguments: BusValue...)
        throws
    {
        let signal = BusSignal(path: path, interface: interface, member: member, arguments: arguments)
        try connection.emit(signal)
    }
}
