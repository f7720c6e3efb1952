import DBus
import EventLoop
import Logging

/// Registers objects of ours with the adapters, again and again until that succeeds.
///
/// One application per subject, so that a new one does not change the registered ones. Valid for one instance
/// of bluetoothd; dropping it withdraws the objects.
@EventLoop
final class BlueZRegistration {
    /// What is registered.
    struct Kind {
        /// The interface of the adapters, and its two methods.
        let manager: String
        let methods: (register: String, unregister: String)
        let hasOptions: Bool
        /// The things that do not work without it, for people.
        let consequence: String
        /// The last element of the path of an application.
        let path: (Key) -> String
        let interface: @EventLoop (Key) -> ExportedInterface
    }

    /// An application on an adapter.
    struct Key: Hashable {
        let subject: String
        let manager: ObjectPath
    }

    /// After so many failed attempts a person should know.
    private static let quietFailures = 5
    /// Answers that bluetoothd will repeat until it is restarted, or an adapter is plugged in.
    private static let permanentErrors: Set = [
        "org.bluez.Error.InvalidArguments", "org.bluez.Error.NotPermitted", "org.bluez.Error.NotSupported",
        "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.UnknownMethod",
        "org.freedesktop.DBus.Error.UnknownObject",
    ]

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

    /// Registers the missing services, and unregisters those that are no longer wanted.
    ///
    /// - Parameters:
    ///   - subjects: What an application is wanted for: the UUIDs of services, for example.
    ///   - managers: The adapters that accept registrations.
    func update(_ subjects: Set<String>, managers: Set<ObjectPath>) {
        // The registrations of an unplugged adapter are gone with it.
        registrations = registrations.filter { managers.contains($0.key.manager) }
        let wanted = Set(subjects.flatMap { subject in managers.map { Key(subject: subject, manager: $0) } })
        for key in Set(registrations.keys).subtracting(wanted) { unregister(key) }
        for key in wanted where registrations[key] == nil {
            register(key)
        }
        if !registrations.values.contains(.failed) { retry.disarm() }
    }

    private func register(_ key: Key) {
        guard let application = application(for: key) else {
            registrations[key] = .refused
            return
        }
        registrations[key] = .requested
        let arguments: [BusValue] = [.objectPath(application)] + (kind.hasOptions ? [.properties([:])] : [])
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
        if registrations[key] == .requested { registrations[key] = .registered }
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
        if Self.permanentErrors.contains(error.name) {
            registrations[key] = .refused
            log.error("\(error): \(kind.consequence)")
            return
        }
        registrations[key] = .failed
        retry.arm(after: backOff.next())
        if failures == Self.quietFailures {
            log.error("\(error): \(kind.consequence) until this succeeds")
        }
    }

    private func registerAgain() {
        for (key, state) in registrations where state == .failed { register(key) }
    }

    private func unregister(_ key: Key) {
        registrations[key] = nil
        guard let application = applications[kind.path(key)]?.first?.path else { return }
        let arguments: [BusValue] = [.objectPath(application)]
        let call = BlueZ.call(kind.methods.unregister, of: kind.manager, on: key.manager, arguments)
        connection.call(call) { [log] result in
            if case .failure(let error) = result { log.warning("\(error)") }
        }
    }

    /// The object manager of an application, exported on first use.
    private func application(for key: Key) -> ObjectPath? {
        let name = kind.path(key)
        if let known = applications[name]?.first?.path { return known }
        guard let root = ObjectPath("/org/pushtotalk/\(name)"), let object = root.appending("object") else {
            return nil
        }
        do throws(BusError) {
            applications[name] = [
                try connection.export(root, isManager: true),
                try connection.export(object, [kind.interface(key)]),
            ]
            return root
        } catch {
            log.error("\(error): \(kind.consequence)")
            return nil
        }
    }
}

extension BlueZRegistration.Kind {
    /// `GattProfile1` objects for the services of our buttons, so that BlueZ connects them automatically
    /// whenever they advertise (org.bluez.GattProfile). Without it a sleeping button is never reconnected.
    static var buttons: Self {
        Self(
            manager: BlueZ.gattManager,
            methods: ("RegisterApplication", "UnregisterApplication"),
            hasOptions: true,
            consequence: "sleeping buttons will not reconnect automatically",
            path: { "buttons_" + $0.subject.map { $0 == "-" ? "_" : String($0) }.joined() },
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
