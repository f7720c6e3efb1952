import DBus
import EventLoop
import Glibc
import Logging

// The sessions of the user, and which one is active.
extension LogindWatch {
    func listSessions() {
        call(Self.manager.call("ListSessions")) { watch, result in
            switch result {
            case .success(let values):
                let paths = (values.first?.asArray ?? []).compactMap(Self.ownSession)
                watch.sessions.removeAll(except: paths)
                watch.unread = Set(paths)
                for path in paths { watch.readSession(path) }
                watch.updateSessions()
            case .failure(let error):
                watch.log.notice("logind does not list the sessions of this user: \(error)")
                watch.listAgain(after: error)
            }
        }
    }

    func listAgain(after error: BusError) {
        switch error.kind {
        case .disconnected: break
        case .serviceUnknown: reportWithoutLogind()  // The watch of its name reports its return.
        case .noReply, .unknownObject, .invalidArguments, .accessDenied, .other:
            retry.arm(after: backOff.next())
        }
    }

    static func ownSession(_ session: BusValue) -> ObjectPath? {
        // Identifier, user, user's name, seat, path.
        guard let members = session.asStructure, members.count == 5, members[1].asInt == Int(getuid())
        else { return nil }
        return members[4].asObjectPath
    }

    func readSession(_ path: ObjectPath) {
        let session = RemoteInterface(service: Self.service, path: path, name: Self.sessionInterface)
        call(session.getAll()) { watch, result in
            switch result {
            case .success(let values):
                watch.sessions.set(path, values.first?.asProperties ?? [:], user: getuid())
            case .failure(let error) where error.kind == .unknownObject:
                // It has ended.
                watch.sessions.remove(path)
            case .failure(let error):
                watch.log.notice("logind does not report the state of a session: \(error)")
                // The last known state stays in force. Without one, nothing is known of all sessions
                // together.
                if !watch.sessions.contains(path) { return watch.listAgain(after: error) }
            }
            watch.unread?.remove(path)
            watch.updateSessions()
        }
    }

    func sessionChanged(_ path: ObjectPath, _ changes: PropertyChanges) {
        let names: [BusKey] = ["Active", "LockedHint"]
        if names.contains(where: changes.invalidated.contains) { return readSession(path) }
        guard names.contains(where: { changes.changed[$0] != nil }) else { return }
        guard sessions.update(path, changes.changed) else { return readSession(path) }
        updateSessions()
    }

    func updateSessions() {
        guard unread?.isEmpty == true else { return }
        backOff.reset()
        if sessions.isInactive != isInactive {
            isInactive = sessions.isInactive
            report(sessions.isInactive ? .inactive : .active)
        }
        if sessions.isLocked != isLocked {
            isLocked = sessions.isLocked
            report(sessions.isLocked ? .locked : .unlocked)
        }
    }

    /// Nothing divides the machine between sessions. What was known before stays in force.
    func reportWithoutLogind() {
        guard isInactive == nil else { return }
        isInactive = false
        report(.active)
    }
}
