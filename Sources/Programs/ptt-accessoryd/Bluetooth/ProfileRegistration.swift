import DBus
import EventLoop
import Logging

/// Registers `GattProfile1` objects for the services of our buttons, so that BlueZ connects them automatically whenever
/// they advertise (org.bluez.GattProfile). Without it a sleeping button is never reconnected.
///
/// One application per service, so that a new service does not change the registered ones. Valid for one instance of
/// bluetoothd; dropping it withdraws the objects.
@EventLoop
final class ProfileRegistration {
    private struct Key: Hashable {
        let service: String
        let manager: ObjectPath
    }

    private static let profileInterface = "org.bluez.GattProfile1"
    private static let attempts = 5
    private static let callTimeout = Duration.seconds(10)

    private let connection: BusConnection
    private let log: Logger
    private var applications: [String: [ExportedObject]] = [:]
    /// The requested registrations, each with the number of its failed attempts.
    private var registrations: [Key: Int] = [:]
    private var backOff = BackOff()
    private lazy var retry = TimerSource { [weak self] in self?.registerAgain() }

    init(on connection: BusConnection, log: Logger) {
        self.connection = connection
        self.log = log
    }

    /// Registers the missing services, and unregisters those that are no longer wanted.
    ///
    /// - Parameters:
    ///   - services: UUIDs of the services of buttons in use.
    ///   - managers: The adapters that accept registrations.
    func update(services: Set<String>, managers: Set<ObjectPath>) {
        // The registrations of an unplugged adapter are gone with it.
        registrations = registrations.filter { managers.contains($0.key.manager) }
        let wanted = Set(services.flatMap { service in managers.map { Key(service: service, manager: $0) } })
        for key in Set(registrations.keys).subtracting(wanted) { unregister(key) }
        for key in wanted where registrations[key] == nil {
            registrations[key] = 0
            register(key)
        }
    }

    private func register(_ key: Key) {
        guard let application = application(for: key.service) else { return }
        let call = MethodCall(
            to: BlueZ.name,
            path: key.manager,
            interface: BlueZ.gattManager,
            member: "RegisterApplication",
            arguments: [.objectPath(application), .properties([:])],
            startsService: false
        )
        connection.call(call, timeout: Self.callTimeout) { [weak self] result in
            switch result {
            case .success: self?.succeeded(key)
            case .failure(let error): self?.failed(key, error)
            }
        }
    }

    private func succeeded(_ key: Key) {
        backOff.reset()
        if registrations[key] != nil { registrations[key] = 0 }
    }

    private func failed(_ key: Key, _ error: BusError) {
        guard let failures = registrations[key], error.name != "org.bluez.Error.AlreadyExists" else { return }
        registrations[key] = failures + 1
        if failures + 1 < Self.attempts {
            retry.arm(after: backOff.next())
        } else {
            log.error("\(error): sleeping buttons will not reconnect automatically")
        }
    }

    private func registerAgain() {
        for (key, failures) in registrations where (1..<Self.attempts).contains(failures) { register(key) }
    }

    private func unregister(_ key: Key) {
        registrations[key] = nil
        guard let application = applications[key.service]?.first?.path else { return }
        let call = MethodCall(
            to: BlueZ.name,
            path: key.manager,
            interface: BlueZ.gattManager,
            member: "UnregisterApplication",
            arguments: [.objectPath(application)],
            startsService: false
        )
        connection.call(call, timeout: Self.callTimeout) { [log] result in
            if case .failure(let error) = result { log.warning("\(error)") }
        }
    }

    /// The object manager of the application for a service, exported on first use.
    private func application(for service: String) -> ObjectPath? {
        if let known = applications[service]?.first?.path { return known }
        let name = "buttons_" + service.map { $0 == "-" ? "_" : String($0) }.joined()
        guard let root = ObjectPath("/org/pushtotalk/\(name)"), let profile = root.appending("profile") else {
            return nil
        }
        do throws(BusError) {
            let interface = ExportedInterface(
                Self.profileInterface,
                // Called when bluetoothd has dropped the registration; a new adapter or owner causes the next one.
                methods: [ExportedMethod("Release") { $0.reply() }],
                properties: [ExportedProperty("UUIDs", "as") { .strings([service]) }]
            )
            applications[service] = [
                try connection.exportManager(root), try connection.export(profile, [interface]),
            ]
            return root
        } catch {
            log.error("\(error): sleeping buttons will not reconnect automatically")
            return nil
        }
    }
}
