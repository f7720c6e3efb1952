import DBus
import EventLoop
import Glibc

extension SeatFacts {
    private static let manager = RemoteInterface(
        service: "org.freedesktop.login1",
        path: "/org/freedesktop/login1",
        name: "org.freedesktop.login1.Manager"
    )

    @EventLoop
    static func observed(on host: Host, _ system: Result<BusConnection, BusError>) async -> Result<
        SeatFacts, Silence
    > {
        do throws(BusError) {
            let bus = try system.get()
            let list = try await bus.ask(manager.call("ListSessions"))
            var sessions: [Session] = []
            for entry in list.first?.asArray ?? [] {
                if let session = try await session(entry, on: bus) { sessions.append(session) }
            }
            return .success(SeatFacts(sessions: sessions, lingers: lingers(on: host)))
        } catch {
            return .failure(Silence(error))
        }
    }

    /// Nil for a session of another user, and one that has just ended.
    @EventLoop
    private static func session(_ entry: BusValue, on bus: BusConnection) async throws(BusError) -> Session? {
        // Identifier, user, user's name, seat, path.
        guard let members = entry.asStructure, members.count == 5, members[1].asInt == Int(getuid()),
            let identifier = members[0].asString, let path = members[4].asObjectPath
        else { return nil }
        do throws(BusError) {
            let session = RemoteInterface(
                service: manager.service,
                path: path,
                name: "org.freedesktop.login1.Session"
            )
            let isActive = try await bus.ask(session.get("Active")).first?.asBool ?? false
            return Session(identifier: identifier, seat: members[3].asString ?? "", isActive: isActive)
        } catch  where error.kind == .unknownObject {
            return nil
        }
    }

    private static func lingers(on host: Host) -> Bool {
        guard let user = getpwuid(getuid()) else { return false }
        let name = String(cString: user.pointee.pw_name)
        return access(host.path("/var/lib/systemd/linger/\(name)"), F_OK) == 0
    }
}
