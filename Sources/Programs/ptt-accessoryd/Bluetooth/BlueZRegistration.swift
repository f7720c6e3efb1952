import DBus
import EventLoop
import Logging

/// Registers objects of ours with bluetoothd, again and again until that succeeds.
///
/// One application per subject, so that a new one does not change the registered ones. Valid for one instance
/// of bluetoothd; dropping it withdraws the objects.
@EventLoop
final class BlueZRegistration {
    /// The objects of one purpose, and their registration.
    struct Kind {
        /// The interface that accepts registrations, and its two methods.
        let manager: String
        let methods: (register: String, unregister: String)
        /// The arguments that follow the path.
        var arguments: (Key) -> [BusValue] = { _ in [] }
        /// Answers that bluetoothd will repeat until it is restarted, or an adapter is plugged in.
        var permanentErrors: Set = [
            "org.bluez.Error.InvalidArguments", "org.bluez.Error.NotPermitted",
            "org.bluez.Error.NotSupported", "org.freedesktop.DBus.Error.AccessDenied",
            "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownObject",
        ]
        /// The things that do not work without it, for people; nil if there is another way, and `answered`
        /// logs failures.
        var consequence: String?
        /// False if the object itself is registered, not an object manager above it.
        var isBelowManager = true
        /// The last element of the path that is registered.
        let path: (Key) -> String
        let interface: @EventLoop (Key) -> ExportedInterface
        /// Called with each answer, nil for a success, and whether it is the first one.
        var answered: @EventLoop (Key, BusError?, _ isFirst: Bool) -> Void = { _, _, _ in }
    }

    /// An application, and the object of bluetoothd that accepts it: an adapter as a rule.
    struct Key: Hashable {
        let subject: String
        let manager: ObjectPath

        /// The subject as a part of the element of a path.
        var element: String { subject.map { $0 == "-" ? "_" : String($0) }.joined() }
    }

    /// After so many failed attempts a person should know.
    private static let quietFailures = 5

    private let kind: Kind
    private let connection: BusConnection
    private let log: Logger
    /// By the last element of their path.
    private var applications: [String: [ExportedObject]] = [:]
    private enum State {
        /// The call is under way.
        case requested
        case registered
        /// The next attempt is due with the timer.
        case failed
        /// Another attempt would fail as well.
        case refused
    }

    private var registrations: [Key: State] = [:]
    /// Keys without any answer yet.
    private var unanswered: Set<Key> = []
    /// In succession, of any service.
    private var failures = 0
    private var backOff: BackOff
    /// Not reset by a success, which a loss may follow at once, again and again.
    private var lossBackOff: BackOff
    private lazy var retry = TimerSource { [weak self] in self?.registerAgain() }

    /// Attempts are repeated for as long as one is missing, at last every five minutes.
    init(
        _ kind: Kind,
        on connection: BusConnection,
        log: Logger,
        backOff: BackOff = BackOff(first: .milliseconds(100), limit: .seconds(300))
    ) {
        self.kind = kind
        self.connection = connection
        self.backOff = backOff
        lossBackOff = backOff
        self.log = log
    }

    /// Registers applications for these subjects, the UUIDs of services for example, and unregisters all
    /// others.
    func update(_ subjects: Set<String>, managers: Set<ObjectPath>) {
        // The registrations of an unplugged adapter are gone with it.
        registrations = registrations.filter { managers.contains($0.key.manager) }
        let wanted = Set(subjects.flatMap { subject in managers.map { Key(subject: subject, manager: $0) } })
        for key in Set(registrations.keys).subtracting(wanted) { unregister(key) }
        for key in wanted where registrations[key] == nil {
            unanswered.insert(key)
            register(key)
        }
        if !registrations.values.contains(.failed) { retry.disarm() }
    }

    /// True if bluetoothd has accepted it, false if it has not so far; nil until it has answered.
    func isAccepted(_ key: Key) -> Bool? {
        guard let state = registrations[key], !unanswered.contains(key) else { return nil }
        return state == .registered
    }

    private func register(_ key: Key) {
        let application: ObjectPath
        do throws(BusError) {
            application = try path(of: key)
        } catch {
            return refused(key, error)
        }
        registrations[key] = .requested
        let arguments: [BusValue] = [.objectPath(application)] + kind.arguments(key)
        let call = BlueZ.call(kind.methods.register, of: kind.manager, on: key.manager, arguments)
        connection.call(call) { [weak self] result in
            switch result {
            case .success: self?.succeeded(key)
            case .failure(let error): self?.failed(key, error)
            }
        }
    }

    private func succeeded(_ key: Key) {
        backOff.reset()
        failures = 0
        guard registrations[key] == .requested else { return }
        registrations[key] = .registered
        answered(key, nil)
    }

    /// bluetoothd has given up what it had accepted, and does not take it up again by itself.
    func lost(_ key: Key) {
        // Not what this has unregistered.
        guard registrations[key] == .registered || registrations[key] == .requested else { return }
        unregister(key)
        registrations[key] = .failed
        retry.arm(after: lossBackOff.next())
    }

    private func failed(_ key: Key, _ error: BusError) {
        // Unregistered meanwhile.
        guard registrations[key] == .requested else { return }
        // An earlier answer was lost.
        if error.name == "org.bluez.Error.AlreadyExists" { return succeeded(key) }
        failures += 1
        if kind.permanentErrors.contains(error.name) { return refused(key, error) }
        registrations[key] = .failed
        retry.arm(after: backOff.next())
        if failures == Self.quietFailures { logConsequence(of: error, " until this succeeds") }
        answered(key, error)
    }

    private func refused(_ key: Key, _ error: BusError) {
        registrations[key] = .refused
        logConsequence(of: error)
        answered(key, error)
    }

    private func answered(_ key: Key, _ error: BusError?) {
        let isFirst = unanswered.remove(key) != nil
        kind.answered(key, error, isFirst)
    }

    private func logConsequence(of error: BusError, _ limit: String = "") {
        if let consequence = kind.consequence { log.error("\(error): \(consequence)\(limit)") }
    }

    private func registerAgain() {
        for (key, state) in registrations where state == .failed { register(key) }
    }

    private func unregister(_ key: Key) {
        registrations[key] = nil
        // Whatever the answer was: bluetoothd may have accepted it after the time limit. And also if it has
        // not answered yet: it handles the calls in order, and the subject may be wanted again.
        guard let application = applications[kind.path(key)]?.first?.path else { return }
        let arguments: [BusValue] = [.objectPath(application)]
        let call = BlueZ.call(kind.methods.unregister, of: kind.manager, on: key.manager, arguments)
        let level: Logger.Level = kind.consequence == nil ? .debug : .warning
        connection.call(call) { [log] result in
            if case .failure(let error) = result { log.log(level: level, "\(error)") }
        }
    }

    /// The path that is registered. Its objects are exported on first use.
    private func path(of key: Key) throws(BusError) -> ObjectPath {
        let name = kind.path(key)
        if let known = applications[name]?.first?.path { return known }
        guard let root = ObjectPath("/org/pushtotalk/\(name)"), let object = root.appending("object") else {
            throw .failed("\(name) is not an element of a path")
        }
        let interfaces = [kind.interface(key)]
        applications[name] =
            try kind.isBelowManager
            ? [connection.export(root, isManager: true), connection.export(object, interfaces)]
            : [connection.export(root, interfaces)]
        return root
    }
}

extension BlueZRegistration.Kind {
    /// `GattProfile1` objects for the services of our buttons, so that BlueZ connects them automatically
    /// whenever they advertise (org.bluez.GattProfile). Without it a sleeping button is never reconnected.
    static var buttons: Self {
        Self(
            manager: BlueZ.gattManager,
            methods: ("RegisterApplication", "UnregisterApplication"),
            arguments: { _ in [.properties([:])] },
            consequence: "sleeping buttons will not reconnect automatically",
            path: { "buttons_" + $0.element },
            interface: { key in
                ExportedInterface(
                    "org.bluez.GattProfile1",
                    // Called when bluetoothd has dropped the registration; a new adapter or owner causes the
                    // next one.
                    methods: [ExportedMethod("Release") { $0.reply() }],
                    properties: [ExportedProperty("UUIDs", "as") { .strings([key.subject]) }]
                )
            }
        )
    }
}
