import DBus
import EventLoop
import Glibc
import Logging
import PTTCore

/// Tells when the machine goes to sleep, when the screen is locked, and when another session is in front of the seat, as
/// logind sees it (org.freedesktop.login1(5)).
///
/// Holds a delay lock, so that the machine waits for the microphone to close before it sleeps. Without logind nothing
/// is told, and nothing else changes. While logind or the bus is away what was known last stays true: anybody on the bus
/// can end our connection to it, and shall not gain by it.
@EventLoop
final class SessionWatch {
    private static let service = "org.freedesktop.login1"
    private static let manager: ObjectPath = "/org/freedesktop/login1"
    private static let managerInterface = "org.freedesktop.login1.Manager"
    private static let sessions: ObjectPath = "/org/freedesktop/login1/session"
    private static let sessionInterface = "org.freedesktop.login1.Session"

    private let log: Logger
    private let tell: @EventLoop (TalkSession.Event) -> Void
    private var bus: Bus?
    private var subscriptions: [Subscription] = []
    private var sleepDelay: BusDescriptor?
    private var sessions = SeatedSessions()
    private var listing = Listing.awaited
    private var backOff = BackOff(limit: .seconds(60))
    private lazy var retry = TimerSource { [weak self] in self?.listSessions() }
    /// How long the machine had slept when the bus was lost.
    private var sleptAtLoss: Duration?

    // What was told last.
    private var isSuspending = false
    private var isLocked = false
    private var isInactive = false

    /// What is known of the sessions that are there. Of half of them nothing can be concluded.
    private enum Listing {
        case awaited
        case incomplete(Set<ObjectPath>)
        case complete
    }

    init(log: Logger, tell: @escaping @EventLoop (TalkSession.Event) -> Void) {
        self.log = log
        self.tell = tell
        bus = Bus(.system) { [weak self] in self?.handle($0) }
    }

    private func handle(_ event: Bus.Event) {
        switch event {
        case .connected(let connection):
            if let sleptAtLoss, Self.slept - sleptAtLoss > .milliseconds(100) { sleptUnnoticed() }
            sleptAtLoss = nil
            follow(connection)
        case .disconnected(let error):
            log.notice("sleep, screen lock and a change of the session are not noticed for now: \(error)")
            sleptAtLoss = Self.slept
            subscriptions = []
            sleepDelay = nil
            retry.disarm()
            listing = .awaited
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
            subscribe(managerSignal("PrepareForSleep"), connection) { watch, signal in
                guard let isStarting = signal.arguments.first?.asBool else { return }
                watch.prepareForSleep(isStarting)
            },
            subscribe(managerSignal("SessionNew"), connection) { watch, signal in
                guard let path = signal.arguments.last?.asObjectPath else { return }
                watch.look(at: path)
            },
            subscribe(managerSignal("SessionRemoved"), connection) { watch, signal in
                guard let path = signal.arguments.last?.asObjectPath else { return }
                watch.sessions.forget(path)
                watch.followPerson()
            },
            subscribe(changes, connection) { watch, signal in
                guard let changes = signal.propertyChanges else { return }
                watch.sessionChanged(signal.path, changes)
            },
            connection.watchName(Self.service) { [weak self] owner in
                // The first call starts a logind that is not running.
                if owner == nil { self?.listSessions() } else { self?.learn() }
            },
        ]
    }

    private func managerSignal(_ member: String) -> MatchRule {
        MatchRule(
            sender: Self.service,
            path: Self.manager,
            interface: Self.managerInterface,
            member: member
        )
    }

    private func subscribe(
        _ rule: MatchRule,
        _ connection: BusConnection,
        _ handler: @escaping @EventLoop (SessionWatch, BusSignal) -> Void
    ) -> Subscription {
        connection.subscribe(rule) { [weak self] signal in
            if let self { handler(self, signal) }
        }
    }

    /// logind is there, for the first time or again: signals that it sent meanwhile were missed.
    private func learn() {
        delaySleep()
        askWhetherSleepBegins()
        listSessions()
    }

    // MARK: Sleep

    private func prepareForSleep(_ isStarting: Bool) {
        follow(isSuspending: isStarting)
        if isStarting { sleepDelay = nil } else { delaySleep() }
    }

    private func follow(isSuspending: Bool) {
        guard isSuspending != self.isSuspending else { return }
        self.isSuspending = isSuspending
        tell(isSuspending ? .systemSuspending : .systemResumed)
    }

    private func sleptUnnoticed() {
        follow(isSuspending: true)
        follow(isSuspending: false)
    }

    /// Since the machine started. Its monotonic clock stands still then (clock_gettime(2)).
    private static var slept: Duration {
        var (all, awake) = (timespec(), timespec())
        clock_gettime(CLOCK_BOOTTIME, &all)
        clock_gettime(CLOCK_MONOTONIC, &awake)
        return .seconds(all.tv_sec - awake.tv_sec) + .nanoseconds(all.tv_nsec - awake.tv_nsec)
    }

    private func askWhetherSleepBegins() {
        let property = "PreparingForSleep"
        call(.getProperty(property, interface: Self.managerInterface, of: Self.service, path: Self.manager)) {
            watch,
            result in
            switch result {
            case .success(let values):
                if let isSuspending = values.first?.asBool { watch.follow(isSuspending: isSuspending) }
            case .failure(let error):
                watch.log.notice("whether the machine is about to sleep is not known: \(error)")
            }
        }
    }

    /// Takes the lock whose release says that we are ready for sleep.
    private func delaySleep() {
        let arguments = ["sleep", "Push to talk", "The microphone must be closed", "delay"]
        call(managerCall("Inhibit", arguments.map { .string($0) })) { watch, result in
            switch result {
            case .success(let values):
                watch.sleepDelay = values.first?.asDescriptor
            case .failure(let error):
                watch.log.notice("sleep is not delayed for the microphone: \(error)")
            }
        }
    }

    private func managerCall(_ member: String, _ arguments: [BusValue] = []) -> MethodCall {
        MethodCall(
            to: Self.service,
            path: Self.manager,
            interface: Self.managerInterface,
            member: member,
            arguments: arguments
        )
    }

    private func call(
        _ call: MethodCall,
        _ completion: @escaping @EventLoop (SessionWatch, Result<[BusValue], BusError>) -> Void
    ) {
        bus?.connection?.call(call) { [weak self] result in
            if let self { completion(self, result) }
        }
    }

    // MARK: The person

    private func listSessions() {
        call(managerCall("ListSessions")) { watch, result in
            switch result {
            case .success(let values):
                watch.backOff.reset()
                watch.listed((values.first?.asArray ?? []).compactMap(Self.ownSession))
            case .failure(let error):
                watch.log.notice("the sessions of this user are not known: \(error)")
                watch.listAgain(after: error)
            }
        }
    }

    private func listAgain(after error: BusError) {
        switch error.kind {
        case .disconnected, .serviceUnknown: break  // Its return is told.
        case .noReply, .unknownObject, .invalidArguments, .accessDenied, .limitsExceeded, .other:
            retry.arm(after: backOff.next())
        }
    }

    private func listed(_ paths: [ObjectPath]) {
        sessions.forget(allBut: paths)
        listing = paths.isEmpty ? .complete : .incomplete(Set(paths))
        for path in paths { look(at: path) }
        followPerson()
    }

    private static func ownSession(_ session: BusValue) -> ObjectPath? {
        // Identifier, user, user's name, seat, path.
        guard let members = session.asStructure, members.count == 5, members[1].asInt == Int(getuid())
        else { return nil }
        return members[4].asObjectPath
    }

    private func look(at path: ObjectPath) {
        call(.getProperties(Self.sessionInterface, of: Self.service, path: path)) { watch, result in
            switch result {
            case .success(let values):
                watch.sessions.know(path, values.first?.asProperties ?? [:], user: getuid())
            case .failure(let error) where error.kind == .unknownObject:
                // It has ended.
                watch.sessions.forget(path)
            case .failure(let error):
                // What is known of it stays true.
                watch.log.notice("the state of a session is not known: \(error)")
            }
            watch.looked(at: path)
        }
    }

    private func looked(at path: ObjectPath) {
        if case .incomplete(var unknown) = listing {
            unknown.remove(path)
            listing = unknown.isEmpty ? .complete : .incomplete(unknown)
        }
        followPerson()
    }

    private func sessionChanged(_ path: ObjectPath, _ changes: PropertyChanges) {
        let names: [BusKey] = ["Active", "LockedHint"]
        if names.contains(where: changes.invalidated.contains) { return look(at: path) }
        guard names.contains(where: { changes.changed[$0] != nil }) else { return }
        guard sessions.change(path, changes.changed) else { return look(at: path) }
        followPerson()
    }

    private func followPerson() {
        guard case .complete = listing else { return }
        if sessions.isInactive != isInactive {
            isInactive = sessions.isInactive
            tell(isInactive ? .sessionInactive : .sessionActive)
        }
        if sessions.isLocked != isLocked {
            isLocked = sessions.isLocked
            tell(isLocked ? .sessionLocked : .sessionUnlocked)
        }
    }
}
