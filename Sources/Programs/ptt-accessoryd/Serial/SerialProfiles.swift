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

    private let connection: BusConnection
    /// The unique name of bluetoothd: calls of other peers are refused, because a port is a press.
    private let daemon: String
    private let log: Logger
    private let registered: @EventLoop () -> Void
    /// Returns whether the device is an accessory in use with this service class.
    private let handler: @EventLoop (Event, ObjectPath, GattUUID) -> Bool
    private var objects: [GattUUID: ExportedObject] = [:]
    private var registrations: [GattUUID: SerialConnection.Registration] = [:]
    /// The profiles that bluetoothd may register at another attempt.
    private var failed: Set<GattUUID> = []
    private var backOff: BackOff
    private lazy var retry = TimerSource { [weak self] in self?.requestAgain() }

    /// - Parameters:
    ///   - connection: A connection to the bus.
    ///   - daemon: The unique name of bluetoothd.
    ///   - log: For refusals.
    ///   - backOff: Of attempts to register.
    ///   - registered: Called when a registration was answered.
    ///   - handler: Handles what bluetoothd does with a device; returns whether the device is one in use.
    init(
        on connection: BusConnection,
        daemon: String,
        log: Logger,
        backOff: BackOff = BackOff(limit: .seconds(300)),
        registered: @escaping @EventLoop () -> Void,
        handler: @escaping @EventLoop (Event, ObjectPath, GattUUID) -> Bool
    ) {
        self.connection = connection
        self.daemon = daemon
        self.log = log
        self.backOff = backOff
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
        request(serviceClass)
    }

    private func requestAgain() {
        let again = failed
        failed = []
        for serviceClass in again { request(serviceClass) }
    }

    private func request(_ serviceClass: GattUUID) {
        guard let path = objects[serviceClass]?.path else { return }
        // Authentication as bluetoothd requires it by default: a link without a key is anybody's.
        let options = BusValue.properties(["Role": .string("client"), "Name": .string("Push-to-talk")])
        let arguments = [.objectPath(path), .string(serviceClass.text), options]
        connection.call(call("RegisterProfile", arguments)) { [weak self] result in
            self?.answered(serviceClass, result)
        }
    }

    private func answered(_ serviceClass: GattUUID, _ result: Result<[BusValue], BusError>) {
        guard objects[serviceClass] != nil else { return }
        switch result {
        case .success: accepted(serviceClass)
        // Our own one: another program's is answered with NotPermitted.
        case .failure(let error) where error.name == "org.bluez.Error.AlreadyExists": accepted(serviceClass)
        case .failure(let error): refused(serviceClass, error)
        }
        registered()
    }

    private func accepted(_ serviceClass: GattUUID) {
        registrations[serviceClass] = .accepted
        backOff.reset()
    }

    private func refused(_ serviceClass: GattUUID, _ error: BusError) {
        let isTaken = error.name == "org.bluez.Error.NotPermitted"
        if !isTaken {
            failed.insert(serviceClass)
            retry.arm(after: backOff.next())
        }
        let isFirst = registrations.updateValue(.refused, forKey: serviceClass) == nil
        guard isFirst else { return }
        log.warning(
            isTaken
                ? """
                \(error): another program has the serial ports of service class \(serviceClass) in bluetoothd. \
                ptt-accessoryd opens them directly; if that fails, stop the other program
                """
                : """
                \(error): ptt-accessoryd opens the serial ports of service class \(serviceClass) directly until \
                bluetoothd registers it
                """
        )
    }

    private func unregister(_ serviceClass: GattUUID) {
        guard let object = objects.removeValue(forKey: serviceClass) else { return }
        registrations[serviceClass] = nil
        failed.remove(serviceClass)
        object.withdraw()
        // Whatever the answer was: bluetoothd may have registered the class after the time limit. And also if
        // it has not answered yet: it handles the calls in order, and the class may be wanted again.
        let arguments: [BusValue] = [.objectPath(object.path)]
        connection.call(call("UnregisterProfile", arguments)) { [log] result in
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
