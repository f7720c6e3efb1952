import DBus
import EventLoop
import Glibc
import Logging
import PTTCore

/// Tells when the machine goes to sleep, and when the person leaves it and is back, as logind sees it
/// (org.freedesktop.login1(5)).
///
/// Holds a delay lock, so that the machine waits for the microphone to close before it sleeps. Without logind nothing
/// is told, and nothing else changes.
@EventLoop
final class SessionWatch {
    private static let service = "org.freedesktop.login1"
    private static let manager: ObjectPath = "/org/freedesktop/login1"
    private static let sessions: ObjectPath = "/org/freedesktop/login1/session"
    private static let sessionInterface = "org.freedesktop.login1.Session"

    private let log: Logger
    private let tell: @EventLoop (TalkSession.Event) -> Void
    private var bus: Bus?
    private var subscriptions: [Subscription] = []
    private var sleepDelay: BusDescriptor?
    private var sessions = SeatedSessions()
    /// Those of the list at the start that are not known yet: of half of them nothing can be concluded.
    private var unknown: Set<ObjectPath> = []
    private var isAway = false

    init(log: Logger, tell: @escaping @EventLoop (TalkSession.Event) -> Void) {
        self.log = log
        self.tell = tell
        bus = Bus(.system) { [weak self] in self?.handle($0) }
    }

    private func handle(_ event: Bus.Event) {
        switch event {
        case .connected(let connection):
            follow(connection)
        case .disconnected(let error):
            log.notice("sleep and screen lock are not noticed: \(error)")
            subscriptions = []
            sleepDelay = nil
            // Nobody is left to tell that the machine has woken, or that the person is back.
            tell(.systemResumed)
            sessions = SeatedSessions()
            unknown = []
            followPerson()
        }
    }

    private func follow(_ connection: BusConnection) {
        let changes = MatchRule(
            sender: Self.service,
            pathNamespace: Self.sessions,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            firstArgument: Self.sessionInterface
        )
        subscriptions = [
            subscribe(managerSignal("PrepareForSleep"), connection) { watch, signal, connection in
                guard let isStarting = signal.arguments.first?.asBool else { return }
                watch.prepareForSleep(isStarting, connection)
            },
            subscribe(managerSignal("SessionNew"), connection) { watch, signal, connection in
                guard let path = signal.arguments.last?.asObjectPath else { return }
                watch.look(at: path, connection)
            },
            subscribe(managerSignal("SessionRemoved"), connection) { watch, signal, _ in
                guard let path = signal.arguments.last?.asObjectPath else { return }
                watch.sessions.forget(path)
                watch.followPerson()
            },
            subscribe(changes, connection) { watch, signal, connection in
                guard let changed = signal.propertyChanges?.changed else { return }
                watch.sessionChanged(signal.path, changed, connection)
            },
        ]
        delaySleep(connection)
        listSessions(connection)
    }

    private func managerSignal(_ member: String) -> MatchRule {
        MatchRule(
            sender: Self.service,
            path: Self.manager,
            interface: "\(Self.service).Manager",
            member: member
        )
    }

    private func subscribe(
        _ rule: MatchRule,
        _ connection: BusConnection,
        _ handler: @escaping @EventLoop (SessionWatch, BusSignal, BusConnection) -> Void
    ) -> Subscription {
        connection.subscribe(rule) { [weak self, weak connection] signal in
            guard let self, let connection else { return }
            handler(self, signal, connection)
        }
    }

    private func prepareForSleep(_ isStarting: Bool, _ connection: BusConnection) {
        if isStarting {
            tell(.systemSuspending)
            sleepDelay = nil
        } else {
            tell(.systemResumed)
            delaySleep(connection)
        }
    }

    /// Takes the lock whose release says that we are ready for sleep.
    private func delaySleep(_ connection: BusConnection) {
        let call = MethodCall(
            to: Self.service,
            Self.manager,
            "\(Self.service).Manager",
            "Inhibit",
            [
                .string("sleep"), .string("Push to talk"), .string("The microphone must be closed"),
                .string("delay"),
            ]
        )
        connection.call(call) { [weak self] result in
            switch result {
            case .success(let values): self?.sleepDelay = values.first?.asDescriptor
            case .failure(let error): self?.log.notice("sleep is not delayed for the microphone: \(error)")
            }
        }
    }

    // MARK: The person

    private func listSessions(_ connection: BusConnection) {
        let call = MethodCall(to: Self.service, Self.manager, "\(Self.service).Manager", "ListSessions")
        connection.call(call) { [weak self, weak connection] result in
            guard let self, let connection else { return }
            switch result {
            case .success(let values):
                let paths = (values.first?.asArray ?? []).compactMap(Self.ownSession)
                unknown.formUnion(paths)
                for path in paths { look(at: path, connection) }
            case .failure(let error):
                log.notice("the sessions of this user are not known: \(error)")
            }
        }
    }

    private static func ownSession(_ session: BusValue) -> ObjectPath? {
        // Identifier, user, user's name, seat, path.
        guard let members = session.asStructure, members.count == 5, members[1].asInt == Int(getuid())
        else { return nil }
        return members[4].asObjectPath
    }

    private func look(at path: ObjectPath, _ connection: BusConnection) {
        let call = MethodCall.getProperties(Self.sessionInterface, of: Self.service, path)
        connection.call(call) { [weak self] result in
            switch result {
            case .success(let values):
                self?.sessions.know(path, values.first?.asProperties ?? [:], user: getuid())
            case .failure:
                // It has ended.
                self?.sessions.forget(path)
            }
            self?.unknown.remove(path)
            self?.followPerson()
        }
    }

    private func sessionChanged(
        _ path: ObjectPath,
        _ changed: [BusKey: BusValue],
        _ connection: BusConnection
    ) {
        guard changed["Active"] != nil || changed["LockedHint"] != nil else { return }
        guard sessions.change(path, changed) else { return look(at: path, connection) }
        followPerson()
    }

    private func followPerson() {
        guard unknown.isEmpty, sessions.isAway != isAway else { return }
        isAway = sessions.isAway
        tell(isAway ? .sessionLocked : .sessionUnlocked)
    }
}

/// The sessions of one user at the screens of this machine. Those over a network have no seat, and cannot be locked.
struct SeatedSessions {
    private struct Session {
        var isActive: Bool
        var isLocked: Bool
    }

    private var sessions: [ObjectPath: Session] = [:]

    /// Whether the person is at none of them: each is locked, or in the background of another. Without any the machine
    /// is one that nobody logs in to, and nobody is away from it.
    var isAway: Bool { !sessions.isEmpty && !sessions.values.contains { $0.isActive && !$0.isLocked } }

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
}
