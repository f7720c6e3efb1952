import DBus
package import EventLoop

/// The part of org.ofono that reports calls, with one modem.
@EventLoop
package final class ScriptedOFono {
    private let connection: BusConnection
    private var objects: [ExportedObject] = []
    private var calls: [String: String] = [:]
    private var interfaces = ["org.ofono.VoiceCallManager"]
    /// Receives an element for each listing of the modem's calls.
    package let listings = AsyncQueue(of: Void.self)

    private static let modem: ObjectPath = "/modem0"

    /// The calls, by name and with their states, exist already.
    package static func start(_ address: String, calls: [String: String] = [:]) async throws -> ScriptedOFono
    {
        let connection = try await BusConnection.open(.address(address))
        let service = ScriptedOFono(connection)
        service.calls = calls
        try service.export()
        _ = try await connection.requestName("org.ofono")
        return service
    }

    private init(_ connection: BusConnection) {
        self.connection = connection
    }

    private func export() throws {
        let modems = ExportedMethod("GetModems", outputs: ["modems": "a(oa{sv})"]) { [weak self] call in
            let properties = BusValue.properties(["Interfaces": .strings(self?.interfaces ?? [])])
            let modem = BusValue.structure([.objectPath(Self.modem), properties])
            call.reply(.array(of: "(oa{sv})", [modem]))
        }
        let list = ExportedMethod("GetCalls", outputs: ["calls": "a(oa{sv})"]) { [weak self] call in
            self?.listings.add(())
            let calls = (self?.calls ?? [:]).map { name, state in
                BusValue.structure([.objectPath(Self.path(name)), Self.properties(state)])
            }
            call.reply(.array(of: "(oa{sv})", calls))
        }
        objects = [
            try connection.export("/", [ExportedInterface("org.ofono.Manager", methods: [modems])]),
            try connection.export(
                Self.modem,
                [ExportedInterface("org.ofono.VoiceCallManager", methods: [list])]
            ),
        ]
    }

    private static func path(_ name: String) -> ObjectPath { modem.appending(name) ?? "/" }

    private static func properties(_ state: String) -> BusValue {
        .properties(["State": .string(state), "LineIdentification": .string("555")])
    }

    // MARK: Events

    /// Ends as in a crash.
    package func crash() { connection.close() }

    package func add(_ name: String, _ state: String) throws {
        calls[name] = state
        let arguments: [BusValue] = [.objectPath(Self.path(name)), Self.properties(state)]
        try emit("CallAdded", Self.modem, "org.ofono.VoiceCallManager", arguments)
    }

    package func change(_ name: String, _ state: String) throws {
        calls[name] = state
        let arguments: [BusValue] = [.string("State"), .variant(.string(state))]
        try emit("PropertyChanged", Self.path(name), "org.ofono.VoiceCall", arguments)
    }

    package func remove(_ name: String) throws {
        calls[name] = nil
        let arguments: [BusValue] = [.objectPath(Self.path(name))]
        try emit("CallRemoved", Self.modem, "org.ofono.VoiceCallManager", arguments)
    }

    /// Its calls end without a signal.
    package func switchModemOff() throws {
        interfaces = []
        calls = [:]
        let arguments: [BusValue] = [.string("Interfaces"), .variant(.strings([]))]
        try emit("PropertyChanged", Self.modem, "org.ofono.Modem", arguments)
    }

    /// Its calls end without a signal.
    package func removeModem() throws {
        interfaces = []
        calls = [:]
        try emit("ModemRemoved", "/", "org.ofono.Manager", [.objectPath(Self.modem)])
    }

    private func emit(_ member: String, _ path: ObjectPath, _ interface: String, _ arguments: [BusValue])
        throws
    {
        let signal = BusSignal(path: path, interface: interface, member: member, arguments: arguments)
        try connection.emit(signal)
    }
}
