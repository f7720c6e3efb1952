import DBus
import Diagnosis
import EventLoop
import Glibc

extension SeatFacts {
    private static let service = "org.freedesktop.login1"

    @EventLoop
    static func observed(on host: Host, _ system: Result<BusConnection, BusError>) async -> Result<
        SeatFacts, Silence
    > {
        do throws(BusError) {
            let bus = try system.get()
            let list = try await bus.ask(
                MethodCall(
                    to: service,
                    path: "/org/freedesktop/login1",
                    interface: service + ".Manager",
                    member: "ListSessions"
                )
            )
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
            let call = MethodCall.getProperty(
                "Active",
                interface: service + ".Session",
                of: service,
                path: path
            )
            let isActive = try await bus.ask(call).first?.asBool ?? false
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
