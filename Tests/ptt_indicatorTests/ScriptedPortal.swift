import DBus
import EventLoop
import TestSupport

/// The frontend of a desktop portal with GlobalShortcuts, as xdg-desktop-portal 1.16 has it, and a backend,
/// which owns a name and nothing else: clients do not call it.
@EventLoop
final class ScriptedPortal {
    /// The way it answers.
    enum Manner {
        case works
        /// It has no GlobalShortcuts.
        case noShortcuts
        /// The person refuses.
        case refuses
        /// It answers only when it is told to.
        case neverAnswers
        /// It has the key from an earlier session, as Plasma.
        case knowsKey
        /// It has version 2 of GlobalShortcuts.
        case letsChoose
        /// It binds, and answers with a code that it has never set, as GNOME 48.0.
        case answersAnyCode
    }

    static let name = "org.freedesktop.portal.Desktop"
    static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    static let shortcuts = "org.freedesktop.portal.GlobalShortcuts"
    static let backendName = "org.freedesktop.impl.portal.desktop.test"

    /// The names of the methods that were called, in their order.
    let calls = AsyncQueue(of: String.self)
    /// The arguments of `BindShortcuts`.
    private(set) var bound: [BusValue] = []
    private(set) var session: ObjectPath?
    private var client = ""
    private let manner: Manner
    private let hasRegistry: Bool
    private let connection: BusConnection
    private var backend: BusConnection?
    private let address: String
    private var objects: [ExportedObject] = []
    private var held: [(call: MethodInvocation, results: [BusKey: BusValue])] = []

    /// - Parameters:
    ///   - address: Of the bus.
    ///   - manner: The way it answers.
    ///   - hasRegistry: True if it is of version 1.19.4 or later.
    /// - Returns: The portal and its backend, with their names.
    /// - Throws: If the bus cannot be reached.
    static func start(_ address: String, _ manner: Manner = .works, hasRegistry: Bool = false) async throws
        -> ScriptedPortal
    {
        let portal = ScriptedPortal(
            address,
            try await BusConnection.open(.address(address)),
            manner,
            hasRegistry: hasRegistry
        )
        try portal.export()
        try await portal.startBackend()
        _ = try await portal.connection.requestName(name)
        return portal
    }

    private init(_ address: String, _ connection: BusConnection, _ manner: Manner, hasRegistry: Bool) {
        (self.address, self.connection, self.manner) = (address, connection, manner)
        self.hasRegistry = hasRegistry
    }

    /// The frontend ends as in a crash. Nothing else is reported.
    func crash() { connection.close() }

    /// The backend ends as in a crash, which the frontend does not report.
    func crashBackend() { backend?.close() }

    func startBackend() async throws {
        let backend = try await BusConnection.open(.address(address))
        self.backend = backend
        _ = try await backend.requestName(Self.backendName)
    }

    /// The next calls, up to and with `BindShortcuts`.
    func binding() async throws -> [String] {
        var made: [String] = []
        _ = try await calls.first {
            made.append($0)
            return $0 == "BindShortcuts"
        }
        return made
    }

    /// Answers the first call that it has not answered.
    func answerLate() {
        let (call, results) = held.removeFirst()
        answer(call, results)
    }

    // MARK: - The key

    func press() throws { try emit("Activated") }
    func release() throws { try emit("Deactivated") }

    /// Signals of a shortcut as the frontend sends them: to the client of the session only.
    func emit(
        _ member: String,
        session: ObjectPath? = nil,
        shortcut: String = "talk",
        over sender: BusConnection? = nil
    ) throws {
        let arguments: [BusValue] = [
            .objectPath(session ?? self.session ?? "/"), .string(shortcut), .uint64(1), .properties([:]),
        ]
        let signal = BusSignal(
            path: Self.path,
            interface: Self.shortcuts,
            member: member,
            arguments: arguments
        )
        try (sender ?? connection).emit(signal, to: client)
    }

    /// A call that the client answers after all signals that it has received.
    var ping: MethodCall {
        RemoteInterface(service: client, path: "/", name: "org.freedesktop.DBus.Peer").call("Ping")
    }

    func closeSession() throws {
        let signal = BusSignal(
            path: session ?? "/",
            interface: "org.freedesktop.portal.Session",
            member: "Closed",
            arguments: [.properties([:])]
        )
        try connection.emit(signal, to: client)
    }

    // MARK: - Calls

    private func export() throws {
        var interfaces = [ExportedInterface("org.freedesktop.portal.Settings")]
        if hasRegistry {
            let register = ExportedMethod("Register", inputs: ["app_id": "s", "options": "a{sv}"]) {
                [weak self] call in
                self?.calls.add("Register \(call.arguments[0].asString ?? "")")
                call.reply()
            }
            interfaces.append(
                ExportedInterface("org.freedesktop.host.portal.Registry", methods: [register])
            )
        }
        if manner != .noShortcuts { interfaces.append(interface) }
        objects = [try connection.export(Self.path, interfaces)]
    }

    private var interface: ExportedInterface {
        let version = ExportedProperty("version", "u") { [weak self] in
            // The property is also read when the object is exported.
            if self?.objects.isEmpty == false { self?.calls.add("version") }
            return .uint32(self?.manner == .letsChoose ? 2 : 1)
        }
        let create = ExportedMethod(
            "CreateSession",
            inputs: ["options": "a{sv}"],
            outputs: ["handle": "o"]
        ) { [weak self] in self?.createSession($0) }
        let list = ExportedMethod(
            "ListShortcuts",
            inputs: ["session_handle": "o", "options": "a{sv}"],
            outputs: ["request_handle": "o"]
        ) { [weak self] call in
            self?.respond(to: call, self?.manner == .knowsKey ? Self.key : Self.noKey)
        }
        let bind = ExportedMethod(
            "BindShortcuts",
            inputs: [
                "session_handle": "o", "shortcuts": "a(sa{sv})", "parent_window": "s", "options": "a{sv}",
            ],
            outputs: ["request_handle": "o"]
        ) { [weak self] call in
            self?.bound = call.arguments
            self?.respond(to: call, Self.key)
        }
        let configure = ExportedMethod(
            "ConfigureShortcuts",
            inputs: ["session_handle": "o", "parent_window": "s", "options": "a{sv}"]
        ) { [weak self] call in
            self?.calls.add("ConfigureShortcuts \(call.arguments[0].asObjectPath == self?.session)")
            call.reply()
        }
        return ExportedInterface(
            Self.shortcuts,
            methods: [create, list, bind, configure],
            properties: [version]
        )
    }

    private static let noKey: [BusKey: BusValue] = ["shortcuts": .array(of: "(sa{sv})", [])]
    private static let key: [BusKey: BusValue] = [
        "shortcuts": .array(
            of: "(sa{sv})",
            [
                .structure([
                    .string("talk"), .properties(["trigger_description": .string("Press Right Ctrl")]),
                ])
            ]
        )
    ]

    private func createSession(_ call: MethodInvocation) {
        guard let token = call.arguments[0].asProperties?["session_handle_token"]?.asString,
            let session = ObjectPath("\(Self.path)/session/\(Self.element(call.sender))/\(token)")
        else { return call.fail(.invalidArguments("no session_handle_token")) }
        (self.session, client) = (session, call.sender)
        let close = ExportedMethod("Close") { [weak self] call in
            self?.calls.add("Close")
            call.reply()
        }
        do {
            let interface = ExportedInterface("org.freedesktop.portal.Session", methods: [close])
            objects.append(try connection.export(session, [interface]))
        } catch {
            return call.fail(.failed("\(error)"))
        }
        // A string, although its documentation says object path.
        respond(to: call, ["session_handle": .string(session.text)])
    }

    private func respond(to call: MethodInvocation, _ results: [BusKey: BusValue]) {
        calls.add(call.member)
        if manner == .neverAnswers { held.append((call, results)) } else { answer(call, results) }
    }

    /// Replies with the path of the request, and sends its `Response`, to the caller only, before that:
    /// clients must expect it.
    private func answer(_ call: MethodInvocation, _ results: [BusKey: BusValue]) {
        guard let token = call.arguments.last?.asProperties?["handle_token"]?.asString,
            let path = ObjectPath("\(Self.path)/request/\(Self.element(call.sender))/\(token)")
        else { return call.fail(.invalidArguments("no handle_token")) }
        let code: UInt32 =
            switch (manner, call.member) {
            case (.refuses, "BindShortcuts"): 1
            case (.answersAnyCode, "BindShortcuts"): 2
            default: 0
            }
        let response = BusSignal(
            path: path,
            interface: "org.freedesktop.portal.Request",
            member: "Response",
            arguments: [.uint32(code), .properties(code == 1 ? [:] : results)]
        )
        // Fails only if the connection has ended.
        try? connection.emit(response, to: call.sender)
        call.reply(.objectPath(path))
    }

    private static func element(_ sender: String) -> String {
        String(sender.dropFirst().map { $0 == "." ? "_" : $0 })
    }
}

extension MethodInvocation {
    /// The methods differ in the number of their arguments.
    fileprivate var member: String {
        switch arguments.count {
        case 1: "CreateSession"
        case 2: "ListShortcuts"
        default: "BindShortcuts"
        }
    }
}
