import DBus
import EventLoop

/// What ptt-accessoryd needs of BlueZ to use one button: its objects, and the notifications that this process times.
@EventLoop
final class PrivateBlueZ {
    /// The characteristic that ptt-accessoryd subscribes to.
    static let button: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01/service000a/char000b"
    /// One that only the C client subscribes to, so that a signal wakes one of the two.
    static let other: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_02/service000a/char000b"

    /// One that only the program with bleak subscribes to: its device is not trusted, and not a button of ptt-accessoryd.
    static let bleak: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_03/service000a/char000b"
    static let address = "F0:F1:F2:F3:F4:01"
    static let bleakAddress = "F0:F1:F2:F3:F4:03"
    static let characteristicUUID = "0000ffe1-0000-1000-8000-00805f9b34fb"

    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01"
    private static let service: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01/service000a"
    private static let bleakDevice: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_03"
    private static let bleakService: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_03/service000a"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    private let connection: BusConnection
    private var objects: [ExportedObject] = []

    static func start(on address: String) async throws -> PrivateBlueZ {
        let connection = try await BusConnection.open(.address(address))
        guard try await connection.requestName("org.bluez") == .acquired else {
            throw Unmeasurable("another process is org.bluez on the private bus")
        }
        return try PrivateBlueZ(connection)
    }

    private init(_ connection: BusConnection) throws {
        self.connection = connection
        objects = [
            try connection.exportManager("/"),
            try connection.export(Self.adapter, [adapterInterface, managerInterface]),
            try connection.export(Self.device, [device(Self.address, "PTT-Z01", isTrusted: true)]),
            try connection.export(Self.service, [service(of: Self.device)]),
            try connection.export(Self.button, [characteristic(of: Self.service)]),
            try connection.export(
                Self.bleakDevice,
                [device(Self.bleakAddress, "Another program's", isTrusted: false)]
            ),
            try connection.export(Self.bleakService, [service(of: Self.bleakDevice)]),
            try connection.export(Self.bleak, [characteristic(of: Self.bleakService)]),
        ]
    }

    /// Notifies `value`, as bluetoothd does.
    ///
    /// - Returns: The moment just before the signal went to the bus.
    func notify(_ path: ObjectPath, _ value: UInt8) throws -> MonotonicInstant {
        let signal = BusSignal.propertiesChanged(
            path: path,
            interface: Self.characteristic,
            changed: ["Value": .bytes([value])]
        )
        let now = MonotonicInstant.now
        try connection.emit(signal)
        return now
    }

    // MARK: Objects

    private var adapterInterface: ExportedInterface {
        ExportedInterface(
            "org.bluez.Adapter1",
            properties: [
                ExportedProperty("Address", "s") { .string("00:1B:DC:00:00:01") },
                ExportedProperty("Powered", "b") { .boolean(true) },
                ExportedProperty("Discovering", "b") { .boolean(false) },
            ]
        )
    }

    private var managerInterface: ExportedInterface {
        ExportedInterface(
            "org.bluez.GattManager1",
            methods: [
                ExportedMethod("RegisterApplication", inputs: ["application": "o", "options": "a{sv}"]) {
                    $0.reply()
                }
            ]
        )
    }

    private func device(_ address: String, _ name: String, isTrusted: Bool) -> ExportedInterface {
        ExportedInterface(
            "org.bluez.Device1",
            properties: [
                ExportedProperty("Address", "s") { .string(address) },
                ExportedProperty("Name", "s") { .string(name) },
                ExportedProperty("Alias", "s") { .string(name) },
                ExportedProperty("Adapter", "o") { .objectPath(Self.adapter) },
                ExportedProperty("Paired", "b") { .boolean(isTrusted) },
                ExportedProperty("Trusted", "b") { .boolean(isTrusted) },
                ExportedProperty("Connected", "b") { .boolean(true) },
                ExportedProperty("ServicesResolved", "b") { .boolean(true) },
                ExportedProperty("UUIDs", "as") { .strings(["0000ffe0-0000-1000-8000-00805f9b34fb"]) },
            ]
        )
    }

    private func service(of device: ObjectPath) -> ExportedInterface {
        ExportedInterface(
            "org.bluez.GattService1",
            properties: [
                ExportedProperty("UUID", "s") { .string("0000ffe0-0000-1000-8000-00805f9b34fb") },
                ExportedProperty("Device", "o") { .objectPath(device) },
                ExportedProperty("Primary", "b") { .boolean(true) },
            ]
        )
    }

    private func characteristic(of service: ObjectPath) -> ExportedInterface {
        ExportedInterface(
            Self.characteristic,
            methods: [ExportedMethod("StartNotify") { $0.reply() }],
            properties: [
                ExportedProperty("UUID", "s") { .string(Self.characteristicUUID) },
                ExportedProperty("Service", "o") { .objectPath(service) },
                ExportedProperty("Notifying", "b") { .boolean(true) },
                ExportedProperty("Flags", "as") { .strings(["read", "notify"]) },
            ]
        )
    }
}
