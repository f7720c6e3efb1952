import AccessoryCore
import DBus
import EventLoop
import Logging

/// An action of bluetoothd with a device that has a serial port.
enum SerialProfileEvent {
    /// - Parameter descriptor: The connected socket.
    case portReceived(BusDescriptor)
    /// The port is to be closed.
    case disconnectionRequested
}

extension BlueZRegistration.Kind {
    /// Another program has the service class. Our own registration is answered with AlreadyExists.
    private static let taken = "org.bluez.Error.NotPermitted"

    /// `Profile1` objects in the client role, through which bluetoothd passes the serial ports of accessories
    /// (org.bluez.Profile). One for each service class: bluetoothd admits one in all.
    ///
    /// - Parameters:
    ///   - daemon: The unique name of bluetoothd. Calls of others are refused, because a port is a press.
    ///   - log: For refusals.
    ///   - answered: Called when a registration was answered.
    ///   - handler: Handles what bluetoothd does with a device; returns whether the device is an accessory in
    ///     use with this service class.
    /// - Returns: The kind, whose subjects are service classes.
    static func serialPorts(
        of daemon: String,
        log: Logger,
        answered: @escaping @EventLoop () -> Void,
        handler: @escaping @EventLoop (SerialProfileEvent, ObjectPath, _ serviceClass: String) -> Bool
    ) -> Self {
        // Authentication as bluetoothd requires it by default: a link without a key is anybody's.
        let options = BusValue.properties(["Role": .string("client"), "Name": .string("Push-to-talk")])
        return Self(
            manager: BlueZ.profileManager,
            methods: ("RegisterProfile", "UnregisterProfile"),
            arguments: { [.string($0.subject), options] },
            permanentErrors: [taken],
            isBelowManager: false,
            path: { "serial_" + $0.element },
            interface: { key in
                profile { event, call in
                    guard call.sender == daemon, let device = call.arguments[0].asObjectPath,
                        handler(event, device, key.subject)
                    else {
                        // The descriptor is closed with the arguments.
                        let reason = "not an accessory in use"
                        return call.fail(BusError(name: "org.bluez.Error.Rejected", message: reason))
                    }
                    call.reply()
                }
            },
            answered: { key, error, isFirst in
                if let error, isFirst { log.warning("\(error): \(explanation(of: error, key.subject))") }
                answered()
            }
        )
    }

    private static func explanation(of error: BusError, _ serviceClass: String) -> String {
        error.name == taken
            ? """
            another program has the serial ports of service class \(serviceClass) in bluetoothd. \
            ptt-accessoryd opens them directly; if that fails, stop the other program
            """
            : """
            ptt-accessoryd opens the serial ports of service class \(serviceClass) directly until \
            bluetoothd registers it
            """
    }

    private static func profile(
        _ handle: @escaping @EventLoop (SerialProfileEvent, MethodInvocation) -> Void
    ) -> ExportedInterface {
        ExportedInterface(
            "org.bluez.Profile1",
            methods: [
                ExportedMethod("Release") { $0.reply() },
                ExportedMethod(
                    "NewConnection",
                    inputs: ["device": "o", "fd": "h", "fd_properties": "a{sv}"]
                ) { call in
                    guard let descriptor = call.arguments[1].asDescriptor else { return }
                    handle(.portReceived(descriptor), call)
                },
                ExportedMethod("RequestDisconnection", inputs: ["device": "o"]) { call in
                    handle(.disconnectionRequested, call)
                },
            ]
        )
    }
}

extension BlueZRegistration {
    /// The answer to the registration of a service class; nil until it has come.
    subscript(serviceClass: GattUUID) -> SerialConnection.Registration? {
        isAccepted(Key(subject: serviceClass.text, manager: BlueZ.root)).map { $0 ? .accepted : .refused }
    }

    /// Registers the missing service classes, and unregisters those that are no longer in use: another
    /// program may have them then.
    func update(_ serviceClasses: Set<GattUUID>) {
        update(Set(serviceClasses.map(\.text)), managers: [BlueZ.root])
    }
}
