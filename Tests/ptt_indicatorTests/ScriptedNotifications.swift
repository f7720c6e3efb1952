import DBus
import EventLoop
import TestSupport

/// A notification daemon, of which the test is the person.
@EventLoop
final class ScriptedNotifications {
    /// A call of `Notify`.
    struct Call: Equatable, Sendable {
        let application: String
        let replaced: UInt32
        let summary: String
        let body: String
        let actions: [String]
        let hints: [BusKey: BusValue]
        let timeout: Int
        /// The identifier in the answer.
        let identifier: UInt32
    }

    static let name = "org.freedesktop.Notifications"
    static let path: ObjectPath = "/org/freedesktop/Notifications"
    /// The capabilities of xfce4-notifyd 0.7.3.
    static let capabilities = ["actions", "body", "body-hyperlinks", "body-markup", "icon-static"]

    let calls = AsyncQueue(of: Call.self)
    /// Calls of `GetCapabilities`.
    let questions = AsyncQueue(of: Void.self)
    /// The identifiers of `CloseNotification`.
    let closed = AsyncQueue(of: UInt32.self)
    private let connection: BusConnection
    private let capabilities: [String]
    private let answers: Bool
    private var object: ExportedObject?
    private var last: UInt32
    private var held: [MethodInvocation] = []
    /// The number of further calls of `Notify` that it never answers.
    private var losses = 0
    /// The answers to `Notify` while it hangs; nil while it does not.
    private var late: [@EventLoop () -> Void]?

    /// - Parameters:
    ///   - address: Of the bus.
    ///   - capabilities: Its answer to `GetCapabilities`.
    ///   - answers: If false, it never answers.
    ///   - hangs: If true, it answers no `Notify` before ``goOn()``.
    ///   - losses: How many calls of `Notify` it never answers.
    ///   - first: The first identifier.
    /// - Returns: The daemon, with its name.
    /// - Throws: If the bus cannot be reached.
    static func start(
        _ address: String,
        capabilities: [String] = capabilities,
        answers: Bool = true,
        hangs: Bool = false,
        losing losses: Int = 0,
        first: UInt32 = 1
    ) async throws -> ScriptedNotifications {
        let daemon = ScriptedNotifications(
            try await BusConnection.open(.address(address)),
            capabilities,
            answers: answers,
            first: first
        )
        daemon.late = hangs ? [] : nil
        daemon.losses = losses
        daemon.object = try daemon.connection.export(path, [daemon.interface])
        _ = try await daemon.connection.requestName(name)
        return daemon
    }

    private init(_ connection: BusConnection, _ capabilities: [String], answers: Bool, first: UInt32) {
        (self.connection, self.capabilities, self.answers) = (connection, capabilities, answers)
        last = first - 1
    }

    /// Ends as in a crash.
    func crash() { connection.close() }

    /// Does not hang any more.
    func goOn() {
        for answer in late ?? [] { answer() }
        late = nil
    }

    /// The person presses a button. xfce4-notifyd closes the notification then, and calls it dismissed.
    func invoke(_ action: String, of identifier: UInt32, closes: Bool = false) throws {
        try emit("ActionInvoked", .uint32(identifier), .string(action))
        if closes { try close(identifier, reason: 2) }
    }

    func close(_ identifier: UInt32, reason: UInt32) throws {
        try emit("NotificationClosed", .uint32(identifier), .uint32(reason))
    }

    private func emit(_ member: String, _ arguments: BusValue...) throws {
        let signal = BusSignal(
            path: Self.path,
            interface: Self.name,
            member: member,
            arguments: arguments
        )
        try connection.emit(signal)
    }

    private var interface: ExportedInterface {
        let capabilities = ExportedMethod("GetCapabilities", outputs: ["capabilities": "as"]) {
            [weak self] call in
            guard let self else { return }
            questions.add(())
            if answers { call.reply(.strings(self.capabilities)) } else { held.append(call) }
        }
        let notify = ExportedMethod(
            "Notify",
            inputs: [
                "app_name": "s", "replaces_id": "u", "app_icon": "s", "summary": "s", "body": "s",
                "actions": "as", "hints": "a{sv}", "expire_timeout": "i",
            ],
            outputs: ["id": "u"]
        ) { [weak self] in self?.notify($0) }
        let close = ExportedMethod("CloseNotification", inputs: ["id": "u"]) { [weak self] call in
            let identifier = UInt32(call.arguments[0].asInt ?? 0)
            self?.closed.add(identifier)
            call.reply()
            // Fails only if the connection has ended.
            try? self?.close(identifier, reason: 3)
        }
        return ExportedInterface(Self.name, methods: [capabilities, notify, close])
    }

    private func notify(_ call: MethodInvocation) {
        let values = call.arguments
        let replaced = UInt32(values[1].asInt ?? 0)
        if replaced == 0 { last += 1 }
        let identifier = replaced == 0 ? last : replaced
        if losses > 0 {
            losses -= 1
            held.append(call)
        } else if late == nil {
            call.reply(.uint32(identifier))
        } else {
            late?.append { call.reply(.uint32(identifier)) }
        }
        calls.add(
            Call(
                application: values[0].asString ?? "",
                replaced: replaced,
                summary: values[3].asString ?? "",
                body: values[4].asString ?? "",
                actions: values[5].asStrings ?? [],
                hints: values[6].asProperties ?? [:],
                timeout: values[7].asInt ?? 0,
                identifier: identifier
            )
        )
    }
}
