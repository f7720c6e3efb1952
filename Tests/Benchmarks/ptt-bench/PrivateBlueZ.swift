import DBus
import EventLoop

/// What the bridge needs of BlueZ to use one button: its objects, and the notifications that this process times.
@EventLoop
final class PrivateBlueZ {
    /// The characteristic that the bridge follows.
    static let button: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01/service000a/char000b"
    /// One that only the C client follows, so that a signal wakes one of the two.
    static let other: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_02/service000a/char000b"

    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01"
    private static let service: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01/service000a"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    private let connection: BusConnection
    private var objects: [ExportedObject] = []

    static func start(on address: String) async throws -> PrivateBlueZ {
        let connection = try await BusConnection.open(.address(address))
        guard try await connection.requestName("org.bluez") == .acquired else {
            throw Unmeasurable("somebody else is org.bluez on the private bus")
        }
        return try PrivateBlueZ(connection)
    }

    private init(_ connection: BusConnection) throws {
        self.connection = connection
        objects = [
            try connection.exportManager("/"),
            try connection.export(Self.adapter, [adapterInterface, managerInterface]),
            try connection.export(Self.device, [deviceInterface]),
            try connection.export(Self.service, [serviceInterface]),
            try connection.export(Self.button, [characteristicInterface]),
        ]
    }

    /// Notifies `value`, as bluetoothd does.
    ///
    /// - Returns: The moment just before the signal went to the bus.
    func notify(_ path: ObjectPath, _ value: UInt8) throws -> MonotonicInstant {
        let signal = BusSignal.propertiesChanged(path, Self.characteristic, ["Value": .bytes([value])])
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

    private var deviceInterface: ExportedInterface {
        ExportedInterface(
            "org.bluez.Device1",
            properties: [
                ExportedProperty("Address", "s") { .string("F0:F1:F2:F3:F4:01") },
                ExportedProperty("Name", "s") { .string("PTT-Z01") },
                ExportedProperty("Alias", "s") { .string("PTT-Z01") },
                ExportedProperty("Adapter", "o") { .objectPath(Self.adapter) },
                ExportedProperty("Paired", "b") { .boolean(true) },
                ExportedProperty("Trusted", "b") { .boolean(true) },
                ExportedProperty("Connected", "b") { .boolean(true) },
                ExportedProperty("ServicesResolved", "b") { .boolean(true) },
                ExportedProperty("UUIDs", "as") { .strings(["0000ffe0-0000-1000-8000-00805f9b34fb"]) },
            ]
        )
    }

    private var serviceInterface: ExportedInterface {
        ExportedInterface(
            "org.bluez.GattService1",
            properties: [
                ExportedProperty("UUID", "s") { .string("0000ffe0-0000-1000-8000-00805f9b34fb") },
                ExportedProperty("Device", "o") { .objectPath(Self.device) },
                ExportedProperty("Primary", "b") { .boolean(true) },
            ]
        )
    }

    private var characteristicInterface: ExportedInterface {
        ExportedInterface(
            Self.characteristic,
            methods: [ExportedMethod("StartNotify") { $0.reply() }],
            properties: [
                ExportedProperty("UUID", "s") { .string("0000ffe1-0000-1000-8000-00805f9b34fb") },
                ExportedProperty("Service", "o") { .objectPath(Self.service) },
                ExportedProperty("Notifying", "b") { .boolean(true) },
                ExportedProperty("Flags", "as") { .strings(["read", "notify"]) },
            ]
        )
    }
}
