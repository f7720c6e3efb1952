import DBus
import EventLoop
import Logging

/// Authorizes the pairing of one device, and of no other.
///
/// For `Pair()` BlueZ calls the agent of the caller (org.bluez.Device). It never becomes the default agent,
/// which would authorize any device.
@EventLoop
final class PairingAgent {
    private static let path: ObjectPath = "/org/pushtotalk/agent"
    private static let interface = "org.bluez.Agent1"

    private let connection: BusConnection
    private let log: Logger
    private let object: ExportedObject

    /// Registers the agent, which authorizes `device` only.
    ///
    /// - Throws: If BlueZ refuses the registration.
    init(for device: ObjectPath, on connection: BusConnection, log: Logger) async throws(BusError) {
        self.connection = connection
        self.log = log
        object = try connection.export(Self.path, [Self.questions(about: device)])
        do throws(BusError) {
            _ = try await connection.call(
                Self.call("RegisterAgent", [.objectPath(Self.path), .string("NoInputNoOutput")])
            )
        } catch {
            object.withdraw()
            throw error
        }
    }

    func unregister() {
        connection.call(Self.call("UnregisterAgent", [.objectPath(Self.path)])) { [log, object] result in
            // BlueZ removes it with our connection at the latest; until then its object does not exist.
            if case .failure(let error) = result { log.warning("\(error)") }
            object.withdraw()
        }
    }

    private static func call(_ member: String, _ arguments: [BusValue]) -> MethodCall {
        BlueZ.call(member, of: BlueZ.agentManager, on: BlueZ.root, arguments)
    }

    /// The requests for a device without keys and display. BlueZ gets an error for any other method, which
    /// means no.
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
