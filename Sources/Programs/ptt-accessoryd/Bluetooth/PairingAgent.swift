import DBus
import EventLoop
import Logging

/// Answers BlueZ's questions while one device is being bonded, and only about that device.
///
/// For `Pair()` BlueZ asks the caller's own agent (org.bluez.Device). It is never made the default agent: that would
/// accept every device that comes by.
@EventLoop
final class PairingAgent {
    private static let path: ObjectPath = "/org/pushtotalk/agent"
    private static let interface = "org.bluez.Agent1"
    private static let callLimit = Duration.seconds(10)

    private let connection: BusConnection
    private let log: Logger
    private let object: ExportedObject

    /// Registers the agent. It says yes to `device` only.
    ///
    /// - Throws: If BlueZ does not take it.
    init(for device: ObjectPath, on connection: BusConnection, log: Logger) async throws(BusError) {
        self.connection = connection
        self.log = log
        object = try connection.export(Self.path, [Self.questions(about: device)])
        do throws(BusError) {
            _ = try await connection.call(
                Self.call("RegisterAgent", [.objectPath(Self.path), .string("NoInputNoOutput")]),
                timeout: Self.callLimit
            )
        } catch {
            object.withdraw()
            throw error
        }
    }

    func unregister() {
        connection.call(Self.call("UnregisterAgent", [.objectPath(Self.path)]), timeout: Self.callLimit) {
            [log, object] result in
            // It goes with our connection at the latest; until then it answers nothing.
            if case .failure(let error) = result { log.warning("\(error)") }
            object.withdraw()
        }
    }

    private static func call(_ member: String, _ arguments: [BusValue]) -> MethodCall {
        MethodCall(
            to: BlueZ.name,
            path: BlueZ.root,
            interface: BlueZ.agentManager,
            member: member,
            arguments: arguments,
            startsService: false
        )
    }

    /// What a device without keys and display can ask for; everything else is no method of ours, which BlueZ takes as no.
    private static func questions(about device: ObjectPath) -> ExportedInterface {
        let answer: @EventLoop (MethodInvocation) -> Void = { invocation in
            if invocation.arguments.first?.asObjectPath == device {
                invocation.reply()
            } else {
                invocation.fail(
                    BusError(name: "org.bluez.Error.Rejected", message: "not the device being paired")
                )
            }
        }
        return ExportedInterface(
            interface,
            methods: [
                ExportedMethod("RequestAuthorization", inputs: ["device": "o"], handler: answer),
                ExportedMethod("AuthorizeService", inputs: ["device": "o", "uuid": "s"], handler: answer),
                ExportedMethod("Cancel") { $0.reply() },
                ExportedMethod("Release") { $0.reply() },
            ]
        )
    }
}
