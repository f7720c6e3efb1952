import DBus
package import EventLoop
import Glibc
package import Logging

/// Watches logind (org.freedesktop.login1(5)): reports when the machine goes to sleep, when the screen is
/// locked, and when another session becomes the active one of the seat.
///
/// Without logind the session counts as active, and nothing else is reported. While logind has not answered,
/// it is not known whether it is, and while logind or the bus is gone, the last known state stays in force:
/// any process on the bus can end our connection to it, and must not gain by doing so.
@EventLoop
package final class LogindWatch {
    package enum Event: Sendable {
        /// The machine goes to sleep.
        case suspending
        /// The machine has resumed, or does not sleep after all.
        case resumed
        case locked
        case unlocked
        /// Another user's session, or a login screen, is active on every seat on which this user has a
        /// session.
        case inactive
        /// A session of this user is active, or the user has none with a seat.
        case active
    }

    /// Who delays sleep and why: for people, in `systemd-inhibit --list`.
    package typealias SleepDelay = (who: String, why: String)

    static let service = "org.freedesktop.login1"
    static let manager = RemoteInterface(
        service: service,
        path: "/org/freedesktop/login1",
        name: "org.freedesktop.login1.Manager"
    )
    static let sessions: ObjectPath = "/org/freedesktop/login1/session"
    static let sessionInterface = "org.freedesktop.login1.Session"

    let log: Logger
    let delay: SleepDelay?
    let report: @EventLoop (Event) -> Void
    var bus: Bus?
    var subscriptions: [Subscription] = []
    var sleepDelay: BusDescriptor?
    var sessions = LoginSessions()
    /// The sessions whose properties have not been read yet; nil while the list of sessions is awaited. The
    /// states of some sessions are not enough to know anything.
    var unread: Set<ObjectPath>?
    var backOff = BackOff(limit: .seconds(60))
    lazy var retry = TimerSource { [weak self] in self?.listSessions() }
    var sleepBackOff = BackOff(limit: .seconds(60))
    lazy var sleepRetry = TimerSource { [weak self] in self?.getPreparingForSleep() }
    /// The time that the machine had slept when the connection to the bus was lost.
    var sleptAtLoss: Duration?

    // What was reported last.
    var isSuspending = false
    var isLocked: Bool?
    var isInactive: Bool?

    /// - Parameters:
    ///   - delay: Of sleep, until the process has handled ``Event/suspending``; nil: sleep is not delayed.
    ///   - log: For failures of logind.
    ///   - report: Called with each change, and once it is known whether the session is active and the screen
    ///     locked. A machine that is awake is not reported at first.
    package init(
        delayingSleep delay: SleepDelay?,
        log: Logger,
        report: @escaping @EventLoop (Event) -> Void
    ) {
        self.delay = delay
        self.log = log
        self.report = report
        bus = Bus(.system) { [weak self] in self?.handle($0) }
    }

    func handle(_ event: Bus.Event) {
        switch event {
        case .connected(let connection):
            if let sleptAtLoss, Self.slept - sleptAtLoss > .milliseconds(100) { reportMissedSleep() }
            sleptAtLoss = nil
            subscribe(on: connection)
        case .disconnected(let error):
            log.notice("sleep, screen lock and session changes are not detected for now: \(error)")
            if error.isWithoutBus { reportWithoutLogind() }
            sleptAtLoss = Self.slept
            subscriptions = []
            sleepDelay = nil
            retry.disarm()
            sleepRetry.disarm()
            unread = nil
        }
    }

    func subscribe(on connection: BusConnection) {
        let changes = MatchRule(
            sender: Self.service,
            pathNamespace: Self.sessions,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            firstArgument: Self.sessionInterface
        )
        subscriptions = [
            subscribe(to: Self.manager.signal("PrepareForSleep"), on: connection) { watch, signal in
                guard let isStarting = signal.arguments.first?.asBool else { return }
                watch.prepareForSleep(isStarting)
            },
            subscribe(to: Self.manager.signal("SessionNew"), on: connection) { watch, signal in
                guard let path = signal.arguments.last?.asObjectPath else { return }
                watch.readSession(path)
            },
            subscribe(to: Self.manager.signal("SessionRemoved"), on: connection) { watch, signal in
                guard let path = signal.arguments.last?.asObjectPath else { return }
                watch.sessions.remove(path)
                watch.updateSessions()
            },
            subscribe(to: changes, on: connection) { watch, signal in
                guard let changes = signal.propertyChanges else { return }
                watch.sessionChanged(signal.path, changes)
            },
            connection.watchName(Self.service) { [weak self] owner in
                // The first call starts a logind that is not running.
                if owner == nil { self?.listSessions() } else { self?.readState() }
            },
        ]
    }

    func subscribe(
        to rule: MatchRule,
        on connection: BusConnection,
        _ handler: @escaping @EventLoop (LogindWatch, BusSignal) -> Void
    ) -> Subscription {
        connection.subscribe(rule) { [weak self] signal in
            if let self { handler(self, signal) }
        }
    }

    /// logind has appeared, for the first time or again: signals that it sent before were missed.
    func readState() {
        delaySleep()
        getPreparingForSleep()
        listSessions()
    }

    // MARK: Sleep

    func prepareForSleep(_ isStarting: Bool) {
        set(isSuspending: isStarting)
        if isStarting { sleepDelay = nil } else { delaySleep() }
    }

    func set(isSuspending: Bool) {
        guard isSuspending != self.isSuspending else { return }
        self.isSuspending = isSuspending
        report(isSuspending ? .suspending : .resumed)
    }

    func reportMissedSleep() {
        set(isSuspending: true)
        set(isSuspending: false)
    }

    /// The time that the machine has slept since it started: its monotonic clock stops meanwhile
    /// (clock_gettime(2)).
    package static var slept: Duration {
        var (all, awake) = (timespec(), timespec())
        clock_gettime(CLOCK_BOOTTIME, &all)
        clock_gettime(CLOCK_MONOTONIC, &awake)
        return .seconds(all.tv_sec - awake.tv_sec) + .nanoseconds(all.tv_nsec - awake.tv_nsec)
    }

    func getPreparingForSleep() {
        call(Self.manager.get("PreparingForSleep")) { watch, result in
            switch result {
            case .success(let values):
                watch.sleepBackOff.reset()
                if let isSuspending = values.first?.asBool { watch.set(isSuspending: isSuspending) }
            case .failure(let error):
                watch.log.notice("logind does not report whether the machine is about to sleep: \(error)")
                // Otherwise a machine that has resumed would count as asleep until it has slept again. The
                // return of logind, or of the bus, is reported.
                guard error.kind != .disconnected, error.kind != .serviceUnknown else { return }
                watch.sleepRetry.arm(after: watch.sleepBackOff.next())
            }
        }
    }

    /// Acquires the lock whose release allows the machine to sleep.
    func delaySleep() {
        guard let delay else { return }
        let arguments = ["sleep", delay.who, delay.why, "delay"]
        call(Self.manager.call("Inhibit", arguments.map { .string($0) })) { watch, result in
            switch result {
            case .success(let values):
                watch.sleepDelay = values.first?.asDescriptor
            case .failure(let error):
                watch.log.notice("sleep is not delayed: \(error)")
            }
        }
    }

    func call(
        _ call: MethodCall,
        _ completion: @escaping @EventLoop (LogindWatch, Result<[BusValue], BusError>) -> Void
    ) {
        bus?.connection?.call(call) { [weak self] result in
            if let self { completion(self, result) }
        }
    }
}
