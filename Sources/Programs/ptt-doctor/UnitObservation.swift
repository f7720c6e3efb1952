import DBus
import EventLoop
import Glibc

extension ServiceManagerFacts {
    @EventLoop
    static func observed(
        on host: Host,
        _ user: Result<BusConnection, BusError>
    ) async -> Result<ServiceManagerFacts, Silence> {
        do throws(BusError) {
            let manager = ServiceManager(bus: try user.get(), host: host)
            return .success(
                ServiceManagerFacts(
                    sockets: try await manager.units(sockets),
                    services: try await manager.units(services),
                    installations: ["/usr", "/usr/local"].filter { host.exists($0 + "/bin/pttd") }
                )
            )
        } catch {
            return .failure(Silence(error))
        }
    }
}

/// A service manager of systemd, the user's or the machine's, by its bus (org.freedesktop.systemd1(5)).
@EventLoop
struct ServiceManager {
    let bus: BusConnection
    let host: Host

    private static let manager = RemoteInterface(
        service: "org.freedesktop.systemd1",
        path: "/org/freedesktop/systemd1",
        name: "org.freedesktop.systemd1.Manager"
    )

    func units(_ names: [String]) async throws(BusError) -> [UnitFacts] {
        var units: [UnitFacts] = []
        for name in names { units.append(try await unit(name)) }
        return units
    }

    func unit(_ name: String) async throws(BusError) -> UnitFacts {
        // GetUnit knows only what is loaded; this reads the file of a unit that is not, and starts nothing.
        let loaded = try await bus.ask(Self.manager.call("LoadUnit", [.string(name)]))
        guard let path = loaded.first?.asObjectPath else { return UnitFacts(name: name, load: "error") }
        let unit = try await properties("Unit", path)
        let own = try await properties(name.hasSuffix(".socket") ? "Socket" : "Service", path)
        let program = own["ExecStart"]?.asArray?.first?.asStructure?.first?.asString
        return UnitFacts(
            name: name,
            load: unit["LoadState"]?.asString ?? "",
            file: unit["UnitFileState"]?.asString ?? "",
            active: unit["ActiveState"]?.asString ?? "",
            result: own["Result"]?.asString ?? "",
            needsReload: unit["NeedDaemonReload"]?.asBool ?? false,
            missingProgram: program.flatMap { access(host.path($0), X_OK) == 0 ? nil : $0 }
        )
    }

    private func properties(_ kind: String, _ path: ObjectPath) async throws(BusError) -> [BusKey: BusValue] {
        let service = Self.manager.service
        let unit = RemoteInterface(service: service, path: path, name: "\(service).\(kind)")
        let values = try await bus.ask(unit.getAll())
        return values.first?.asProperties ?? [:]
    }
}
