import DBus

/// The sessions of one user that have a seat. Sessions over a network have none, and cannot be locked.
struct LoginSessions {
    private struct Session {
        var isActive: Bool
        var isLocked: Bool
    }

    private var sessions: [ObjectPath: Session] = [:]

    /// True if another user's session, or a login screen, is active on every seat on which this user has a
    /// session. False without any session: a server, or a user who logs in over a network only.
    var isInactive: Bool { !sessions.isEmpty && !sessions.values.contains { $0.isActive } }

    /// True if all active sessions are locked or, if none is active, all sessions.
    var isLocked: Bool {
        let relevant = sessions.values.filter { $0.isActive || isInactive }
        return !relevant.isEmpty && relevant.allSatisfy { $0.isLocked }
    }

    /// Takes all properties of a session, which is ignored if it is another user's.
    mutating func set(_ path: ObjectPath, _ properties: [BusKey: BusValue], user: UInt32) {
        guard properties["User"]?.unwrapped.asStructure?.first?.asInt == Int(user),
            properties["Seat"]?.unwrapped.asStructure?.first?.asString?.isEmpty == false
        else { return remove(path) }
        sessions[path] = Session(
            isActive: properties["Active"]?.asBool ?? true,
            isLocked: properties["LockedHint"]?.asBool ?? false
        )
    }

    func contains(_ path: ObjectPath) -> Bool { sessions[path] != nil }

    /// Applies changed properties. Returns false for a session that is not in the list.
    mutating func update(_ path: ObjectPath, _ changed: [BusKey: BusValue]) -> Bool {
        guard var session = sessions[path] else { return false }
        session.isActive = changed["Active"]?.asBool ?? session.isActive
        session.isLocked = changed["LockedHint"]?.asBool ?? session.isLocked
        sessions[path] = session
        return true
    }

    mutating func remove(_ path: ObjectPath) {
        sessions[path] = nil
    }

    mutating func removeAll(except paths: [ObjectPath]) {
        sessions = sessions.filter { paths.contains($0.key) }
    }
}
