import DBus
import EventLoop
import TestSupport

/// Two connections to a private bus: a service and its client.
@EventLoop
final class Peers {
    nonisolated static let name = "org.example.Service"
    nonisolated static let path: ObjectPath = "/org/example/service"
    nonisolated static let interface = "org.example.Interface"

    let bus: PrivateBus
    let service: BusConnection
    let client: BusConnection
    /// Calls of `Hold`, which are not answered while they are stored here.
    var held: [MethodInvocation] = []
    let holds = AsyncQueue(of: Void.self)
    private var object: ExportedObject?

    init() async throws {
        bus = try await PrivateBus.start()
        let address = BusAddress.address(bus.address)
        service = try await BusConnection.open(address)
        client = try await BusConnection.open(address)
        object = try service.export(Self.path, [exported])
        _ = try await service.requestName(Self.name)
    }

    func call(_ member: String, _ arguments: BusValue...) -> MethodCall {
        RemoteInterface(service: Self.name, path: Self.path, name: Self.interface).call(member, arguments)
    }

    /// A round trip through the bus, after which all earlier messages of both sides have arrived.
    func settle() async throws {
        _ = try await client.call(call("Echo", .variant(.byte(0))))
        let ping = RemoteInterface(service: client.uniqueName, path: "/", name: "org.freedesktop.DBus.Peer")
            .call("Ping")
        _ = try await service.call(ping)
    }

    private var exported: ExportedInterface {
        ExportedInterface(
            Self.interface,
            methods: [
                ExportedMethod("Echo", inputs: ["value": "v"], outputs: ["value": "v"]) { invocation in
                    invocation.reply(invocation.arguments[0])
                },
                ExportedMethod("Fail") { invocation in
                    invocation.fail(BusError(name: "org.example.Error.Tired", message: "not today"))
                },
                ExportedMethod("Hold") { [weak self] invocation in
                    self?.held.append(invocation)
                    self?.holds.add(())
                },
                ExportedMethod("Drop") { _ in },
            ]
        )
    }
}

extension BusError {
    static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"

    /// The error that `operation` throws, or nil.
    @EventLoop
    static func thrown(by operation: @EventLoop () async throws -> some Any) async -> BusError? {
        do {
            _ = try await operation()
            return nil
        } catch {
            return error as? BusError
        }
    }
}
