import AccessoryCore
import DBus
import EventLoop
import Logging

/// Registers `Profile1` objects in the client role, through which bluetoothd passes the serial ports of
/// accessories (org.bluez.Profile). One for each service class: bluetoothd admits one in all.
///
/// Valid for one instance of bluetoothd; dropping it withdraws the objects.
@EventLoop
final class SerialProfiles {
    /// An action of bluetoothd with a device.
    enum Event {
        /// - Parameter descriptor: The connected socket.
        case portReceived(BusDescriptor)
        /// The port is to be closed.
        case disconnectionRequested
    }

    private static let interface = "org.bluez.Profile1"
    private static let callTimeout = Duration.seconds(10)

    private let connection: BusConnection
    /// The unique name of bluetoothd: calls of other peers are refused, because a port is a press.
    private let daemon: String
    private let log: Logger
    private let registered: @EventLoop () -> Void
    /// Returns whether the device is an accessory in use with this service class.
    private let handler: @EventLoop (Event, ObjectPath, GattUUID) -> Bool
    private var objects: [GattUUID: ExportedObject] = [:]
    private var registrations: [GattUUID: SerialConnection.Registration] = [:]

    /// - Parameters:
    ///   - connection: A connection to the bus.
    ///   - daemon: The unique name of bluetoothd.
    ///   - log: For refusals.
    ///   - registered: Called when a registration was answered.
    ///   - handler: Handles what bluetoothd does with a device; returns whether the device is one in use.
    init(
        on connection: BusConnection,
        daemon: String,
        log: Logger,
        registered: @escaping @EventLoop () -> Void,
        handler: @escaping @EventLoop (Event, ObjectPath, GattUUID) -> Bool
    ) {
        self.connection = connection
        self.daemon = daemon
        self.log = log
        self.registered = registered
        self.handler = handler
    }

    /// The answer to a registration; nil until it has come.
    subscript(serviceClass: GattUUID) -> SerialConnection.Registration? { registrations[serviceClass] }

    /// Registers the missing service classes, and unregisters those that are no longer in use: another
    /// program may have them then.
    func update(_ wanted: Set<GattUUID>) {
        for serviceClass in Set(objects.keys).subtracting(wanted) { unregister(serviceClass) }
        for serviceClass in wanted where objects[serviceClass] == nil { register(serviceClass) }
    }

    private func register(_ serviceClass: GattUUID) {
        let name = "serial_" + serviceClass.text.map { $0 == "-" ? "_" : String($0) }.joined()
        guard let path = ObjectPath("/org/pushtotalk/\(name)") else { return }
        do throws(BusError) {
            objects[serviceClass] = try connection.export(path, [profile(for: serviceClass)])
        } catch {
            return answered(serviceClass, .failure(error))
        }
        // Authentication as bluetoothd requires it by default: a link without a key is anybody's.
        let options = BusValue.properties(["Role": .string("client"), "Name": .string("Push-to-talk")])
        let arguments = [.objectPath(path), .string(serviceClass.text), options]
        connection.call(call("RegisterProfile", arguments), timeout: Self.callTimeout) { [weak self] result in
            self?.answered(serviceClass, result)
        }
    }

    private func answered(_ serviceClass: GattUUID, _ result: Result<[BusValue], BusError>) {
        guard objects[serviceClass] != nil else { return }
        switch result {
        case .success: registrations[serviceClass] = .accepted
        // Our own one: another program's is answered with NotPermitted.
        case .failure(let error) where error.name == "org.bluez.Error.AlreadyExists":
            registrations[serviceClass] = .accepted
        case .failure(let error):
            log.warning(
                """
                \(error): another program has the serial ports of service class \(serviceClass) in bluetoothd. \
                ptt-accessoryd opens them directly; if that fails, stop the other program
                """
            )
            registrations[serviceClass] = .refused
        }
        registered()
    }

    private func unregister(_ serviceClass: GattUUID) {
        guard let object = objects.removeValue(forKey: serviceClass) else { return }
        let registration = registrations.removeValue(forKey: serviceClass)
        object.withdraw()
        // Also if bluetoothd has not answered yet: it handles the calls in order, and the class may be wanted
        // again.
        guard registration != .refused else { return }
        let arguments: [BusValue] = [.objectPath(object.path)]
        connection.call(call("UnregisterProfile", arguments), timeout: Self.callTimeout) { [log] result in
            if case .failure(let error) = result { log.debug("\(error)") }
        }
    }

    private func call(_ member: String, _ arguments: [BusValue]) -> MethodCall {
        BlueZ.call(member, of: BlueZ.profileManager, on: BlueZ.root, arguments)
    }

    // MARK: - Calls of bluetoothd

    private func profile(for serviceClass: GattUUID) -> ExportedInterface {
        ExportedInterface(
            Self.interface,
            methods: [
                ExportedMethod("Release") { $0.reply() },
                ExportedMethod(
                    "NewConnection",
                    inputs: ["device": "o", "fd": "h", "fd_properties": "a{sv}"]
                ) { [weak self] call in
                    guard let descriptor = call.arguments[1].asDescriptor else { return }
                    self?.handle(.portReceived(descriptor), serviceClass, call)
                },
                ExportedMethod("RequestDisconnection", inputs: ["device": "o"]) { [weak self] call in
                    self?.handle(.disconnectionRequested, serviceClass, call)
                },
            ]
        )
    }

    private func handle(_ event: Event, _ serviceClass: GattUUID, _ call: MethodInvocation) {
        guard call.sender == daemon, let device = call.arguments[0].asObjectPath,
            handler(event, device, serviceClass)
        else {
            // The descriptor is closed with the arguments.
            return call.fail(BusError(name: "org.bluez.Error.Rejected", message: "not an accessory in use"))
        }
        call.reply()
    }
}
