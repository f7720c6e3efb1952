import DBus

/// The sessions of one user at the screens of this machine. Those over a network have no seat, and cannot be locked.
struct SeatedSessions {
    private struct Session {
        var isActive: Bool
        var isLocked: Bool
    }

    private var sessions: [ObjectPath: Session] = [:]

    /// Whether somebody else's session, or that of a login screen, is in front of each seat that this person has one at.
    /// Without any the machine is one that nobody logs in to.
    var isInactive: Bool { !sessions.isEmpty && !sessions.values.contains { $0.isActive } }

    /// Whether all sessions that are in front are locked; if none is, all of them.
    var isLocked: Bool {
        let relevant = sessions.values.filter { $0.isActive || isInactive }
        return !relevant.isEmpty && relevant.allSatisfy { $0.isLocked }
    }

    /// - Parameters:
    ///   - path: Of the session.
    ///   - properties: All of them.
    ///   - user: Sessions of others are ignored.
    mutating func know(_ path: ObjectPath, _ properties: [BusKey: BusValue], user: UInt32) {
        guard properties["User"]?.unwrapped.asStructure?.first?.asInt == Int(user),
            properties["Seat"]?.unwrapped.asStructure?.first?.asString?.isEmpty == false
        else { return forget(path) }
        sessions[path] = Session(
            isActive: properties["Active"]?.asBool ?? true,
            isLocked: properties["LockedHint"]?.asBool ?? false
        )
    }

    /// Gives false if the session is none of these, or not yet.
    mutating func change(_ path: ObjectPath, _ changed: [BusKey: BusValue]) -> Bool {
        guard var session = sessions[path] else { return false }
        session.isActive = changed["Active"]?.asBool ?? session.isActive
        session.isLocked = changed["LockedHint"]?.asBool ?? session.isLocked
        sessions[path] = session
        return true
    }

    mutating func forget(_ path: ObjectPath) {
        sessions[path] = nil
    }

    mutating func forget(allBut paths: [ObjectPath]) {
        sessions = sessions.filter { paths.contains($0.key) }
    }
}
