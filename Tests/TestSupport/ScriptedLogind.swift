import DBus
package import EventLoop
import Glibc

/// The part of org.freedesktop.login1 that the daemons use.
@EventLoop
package final class ScriptedLogind {
    package struct Session {
        let user: UInt32
        /// Empty: no seat.
        let seat: String
        var isActive: Bool
        var isLocked: Bool

        package init(
            user: UInt32 = getuid(),
            seat: String = "seat0",
            isActive: Bool = true,
            isLocked: Bool = false
        ) {
            self.user = user
            self.seat = seat
            self.isActive = isActive
            self.isLocked = isLocked
        }
    }

    /// Receives an element for each acquired delay lock.
    package let acquired = AsyncQueue(of: Void.self)
    /// Receives an element for each released delay lock.
    package let released = AsyncQueue(of: Void.self)
    /// Its own name on the bus.
    package var name: String { connection.uniqueName }
    /// The process that acquired the last delay lock.
    package private(set) var core = ""
    /// The value of `PreparingForSleep`; nil: it cannot be read.
    package var isPreparingForSleep: Bool? = false
    /// The names of sessions whose properties were read.
    package let readSessions = AsyncQueue(of: String.self)

    private let connection: BusConnection
    private var locks: [(Int32, DescriptorSource)] = []
    private var manager: ExportedObject?
    private var sessions: [String: Session]
    private var objects: [String: ExportedObject] = [:]

    /// The sessions have names; if left out, there is one of this user.
    package static func start(
        _ address: String,
        _ sessions: [String: Session] = ["mine": Session()],
        isPreparingForSleep: Bool? = false
    ) async throws -> ScriptedLogind {
        let logind = ScriptedLogind(try await BusConnection.open(.address(address)), sessions)
        logind.isPreparingForSleep = isPreparingForSleep
        try logind.export()
        _ = try await logind.connection.requestName("org.freedesktop.login1")
        return logind
    }

    private init(_ connection: BusConnection, _ sessions: [String: Session]) {
        self.connection = connection
        self.sessions = sessions
    }

    private func export() throws {
        let inhibit = ExportedMethod(
            "Inhibit",
            inputs: ["what": "s", "who": "s", "why": "s", "mode": "s"],
            outputs: ["lock": "h"]
        ) { [weak self] call in self?.inhibit(call) }
        let list = ExportedMethod("ListSessions", outputs: ["sessions": "a(susso)"]) { [weak self] call in
            call.reply(.array(of: "(susso)", self?.list ?? []))
        }
        let sleep = ExportedProperty("PreparingForSleep", "b") { [weak self] in
            self?.isPreparingForSleep.map { .boolean($0) }
        }
        let interface = ExportedInterface(
            "org.freedesktop.login1.Manager",
            methods: [inhibit, list],
            properties: [sleep]
        )
        manager = try connection.export("/org/freedesktop/login1", [interface])
        for name in sessions.keys { try export(session: name) }
    }

    private var list: [BusValue] {
        sessions.map { name, session in
            .structure([
                .string(name), .uint32(session.user), .string("user"), .string(session.seat),
                .objectPath(path(name)),
            ])
        }
    }

    private func path(_ name: String) -> ObjectPath {
        ObjectPath("/org/freedesktop/login1/session/\(name)") ?? "/"
    }

    private func export(session name: String) throws {
        func property(_ property: String, _ type: String, _ get: @escaping (Session) -> BusValue)
            -> ExportedProperty
        {
            ExportedProperty(property, type) { [weak self] in self?.sessions[name].map(get) }
        }
        let user = ExportedProperty("User", "(uo)") { [weak self] in
            // The property is also read when the object is exported.
            if self?.objects[name] != nil { self?.readSessions.add(name) }
            let user = self?.sessions[name]?.user ?? 0
            return .structure([.uint32(user), .objectPath("/org/freedesktop/login1/user/x")])
        }
        let seat = property("Seat", "(so)") {
            .structure([
                .string($0.seat), .objectPath($0.seat.isEmpty ? "/" : "/org/freedesktop/login1/seat/x"),
            ])
        }
        let interface = ExportedInterface(
            "org.freedesktop.login1.Session",
            properties: [
                user, seat, property("Active", "b") { .boolean($0.isActive) },
                property("LockedHint", "b") { .boolean($0.isLocked) },
            ]
        )
        objects[name] = try connection.export(path(name), [interface])
    }

    /// The lock is one end of a pair of sockets; the other end closes with the last copy of it.
    private func inhibit(_ call: MethodInvocation) {
        guard call.arguments.first?.asString == "sleep", call.arguments.last?.asString == "delay" else {
            return call.fail(.invalidArguments("only a delay lock for sleep was expected"))
        }
        guard let (reading, lock) = try? UnixSocket.pair(.stream) else {
            return call.fail(.failed("no sockets"))
        }
        let released = released
        let source = try? DescriptorSource(reading, .readable) { [weak self] _ in
            released.add(())
            self?.close { $0 == reading }
        }
        guard let source else { return call.fail(.failed("no watch")) }
        locks.append((reading, source))
        core = call.sender
        call.reply(.descriptor(BusDescriptor(OwnedDescriptor(adopting: lock))))
        acquired.add(())
    }

    private func close(_ isMeant: (Int32) -> Bool) {
        for (reading, source) in locks where isMeant(reading) {
            // Its handler may be running, after which it is released.
            source.cancel()
            _ = Glibc.close(reading)
        }
        locks.removeAll { isMeant($0.0) }
    }

    isolated deinit { close { _ in true } }

    // MARK: Events

    /// Ends as in a crash.
    package func crash() { connection.close() }

    package func prepareForSleep(_ isStarting: Bool) throws {
        isPreparingForSleep = isStarting
        try emit("PrepareForSleep", .boolean(isStarting))
    }

    /// Changes the given properties, and emits one signal for them.
    package func change(_ name: String, isActive: Bool? = nil, isLocked: Bool? = nil) throws {
        var changed: [BusKey: BusValue] = [:]
        if let isActive {
            sessions[name]?.isActive = isActive
            changed["Active"] = .boolean(isActive)
        }
        if let isLocked {
            sessions[name]?.isLocked = isLocked
            changed["LockedHint"] = .boolean(isLocked)
        }
        try connection.emit(
            .propertiesChanged(
                path: path(name),
                interface: "org.freedesktop.login1.Session",
                changed: changed
            )
        )
    }

    package func add(_ name: String, _ session: Session) throws {
        sessions[name] = session
        try export(session: name)
        try emit("SessionNew", .string(name), .objectPath(path(name)))
    }

    package func remove(_ name: String) throws {
        sessions[name] = nil
        objects[name] = nil
        try emit("SessionRemoved", .string(name), .objectPath(path(name)))
    }

    /// Waits until the core has received all signals, and the replies to what it asked because of them.
    package func coreHasReadSignals() async throws {
        let name = "stranger"
        // The second signal follows the replies.
        for _ in 0..<2 {
            // A change of a session that the core does not have makes it read the properties, each time.
            if sessions[name] == nil {
                try add(name, Session(user: getuid() + 1))
            } else {
                try change(name, isLocked: true)
            }
            _ = try await readSessions.first { $0 == name }
        }
    }

    private func emit(_ member: String, _ arguments: BusValue...) throws {
        try connection.emit(
            BusSignal(
                path: "/org/freedesktop/login1",
                interface: "org.freedesktop.login1.Manager",
                member: member,
                arguments: arguments
            )
        )
    }
}
