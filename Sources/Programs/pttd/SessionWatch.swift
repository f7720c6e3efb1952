import DBus
import EventLoop
import Glibc
import Logging
import PTTCore

/// Tells when the machine goes to sleep and when the person leaves it, as logind sees it (org.freedesktop.login1(5)).
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
            // Nobody is left to tell that the machine has woken.
            tell(.systemResumed)
        }
    }

    private func follow(_ connection: BusConnection) {
        let sleep = MatchRule(
            sender: Self.service,
            path: Self.manager,
            interface: "\(Self.service).Manager",
            member: "PrepareForSleep"
        )
        let changes = MatchRule(
            sender: Self.service,
            pathNamespace: Self.sessions,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            firstArgument: Self.sessionInterface
        )
        subscriptions = [
            connection.subscribe(sleep) { [weak self, weak connection] signal in
                guard let connection, let isStarting = signal.arguments.first?.asBool else { return }
                self?.prepareForSleep(isStarting, connection)
            },
            connection.subscribe(changes) { [weak self, weak connection] signal in
                guard let connection else { return }
                self?.sessionChanged(signal, connection)
            },
        ]
        delaySleep(connection)
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

    private func sessionChanged(_ signal: BusSignal, _ connection: BusConnection) {
        guard let changed = signal.propertyChanges?.changed else { return }
        guard changed["LockedHint"]?.asBool == true || changed["Active"]?.asBool == false else { return }
        let call = MethodCall.getProperty("User", Self.sessionInterface, of: Self.service, signal.path)
        connection.call(call) { [weak self] result in
            // Without an answer the session has ended, and its lock with it.
            guard case .success(let values) = result,
                let user = values.first?.unwrapped.asStructure?.first?.asInt
            else { return }
            if user == Int(getuid()) { self?.tell(.sessionLocked) }
        }
    }
}
