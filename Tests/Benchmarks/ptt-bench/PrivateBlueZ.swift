import DBus
import EventLoop

/// The part of BlueZ that ptt-accessoryd needs for buttons: their objects, and the notifications that this
/// process times.
@EventLoop
final class PrivateBlueZ {
    /// The characteristic that ptt-accessoryd subscribes to.
    static let button: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01/service000a/char000b"
    /// One that only the C client subscribes to, so that a signal wakes one of the two.
    static let other: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_02/service000a/char000b"
    static let address = "F0:F1:F2:F3:F4:01"
    private static let characteristicUUID = "0000ffe1-0000-1000-8000-00805f9b34fb"

    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01"
    private static let service: ObjectPath = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01/service000a"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    private let connection: BusConnection
    private var objects: [ExportedObject] = []
    /// The clients that have turned the notifications of a characteristic on.
    private var subscribers: [ObjectPath: Set<String>] = [:]
    /// How many discoveries have been started.
    private(set) var discoveries = 0

    /// - Parameters:
    ///   - address: Of the bus.
    ///   - crowd: How many buttons there are beside ``button``, all alike.
    ///   - neighbours: How many other devices are in reach.
    /// - Returns: It, with its objects.
    /// - Throws: If the bus cannot be reached, or another process has BlueZ's name.
    static func start(on address: String, crowd: Int = 0, neighbours: Int = 0) async throws -> PrivateBlueZ {
        let connection = try await BusConnection.open(.address(address))
        guard try await connection.requestName("org.bluez") else {
            throw Unmeasurable("another process is org.bluez on the private bus")
        }
        let blueZ = try PrivateBlueZ(connection)
        for number in 0..<crowd { try blueZ.addButton(number) }
        for number in 0..<neighbours { try blueZ.addNeighbour(number) }
        return blueZ
    }

    /// The characteristic of a button of the crowd.
    static func crowdButton(_ number: Int) -> ObjectPath {
        path(crowdAddress(number), "service000a", "char000b")
    }

    /// The addresses of ``button`` and of the crowd.
    static func addresses(crowd: Int) -> [String] { [address] + (0..<crowd).map { crowdAddress($0) } }

    private static func crowdAddress(_ number: Int) -> String { address(third: 0xF4, number) }
    private static func neighbourAddress(_ number: Int) -> String { address(third: 0xF5, number) }

    private static func address(third: Int, _ number: Int) -> String {
        let bytes = [0xF0, 0xF1, third, 0xF3, number >> 8, number & 0xFF]
        return bytes.map { String($0 + 0x100, radix: 16, uppercase: true).dropFirst() }.joined(separator: ":")
    }

    private static func path(_ address: String, _ elements: String...) -> ObjectPath {
        let device = "dev_" + String(address.map { $0 == ":" ? "_" : $0 })
        // An address and BlueZ's names of services make valid elements.
        return ([device] + elements).reduce(adapter) { $0.appending($1) ?? $0 }
    }

    private func addButton(_ number: Int) throws {
        let address = Self.crowdAddress(number)
        let (device, service) = (Self.path(address), Self.path(address, "service000a"))
        objects += [
            try connection.export(device, [self.device(address, "PTT-Z\(number)", isTrusted: true)]),
            try connection.export(service, [self.service(of: device)]),
            try connection.export(
                Self.crowdButton(number),
                [characteristic(of: service, at: Self.crowdButton(number))]
            ),
        ]
    }

    private func addNeighbour(_ number: Int) throws {
        let address = Self.neighbourAddress(number)
        let properties = [
            ExportedProperty("Address", "s") { .string(address) },
            ExportedProperty("Name", "s") { .string("Neighbour \(number)") },
            ExportedProperty("Alias", "s") { .string("Neighbour \(number)") },
            ExportedProperty("Adapter", "o") { .objectPath(Self.adapter) },
            ExportedProperty("Connected", "b") { .boolean(false) },
            ExportedProperty("RSSI", "n") { .int16(-70) },
        ]
        let device = ExportedInterface("org.bluez.Device1", properties: properties)
        objects.append(try connection.export(Self.path(address), [device]))
    }

    /// Reports the strength of the signal of a device nearby.
    func changeSignalStrength(of number: Int, to strength: Int16) {
        let signal = BusSignal.propertiesChanged(
            path: Self.path(Self.neighbourAddress(number)),
            interface: "org.bluez.Device1",
            changed: ["RSSI": .int16(strength)]
        )
        // Fails only if the connection has ended, which the next notification reports.
        try? connection.emit(signal)
    }

    private init(_ connection: BusConnection) throws {
        self.connection = connection
        objects = [
            try connection.export("/", isManager: true),
            try connection.export(Self.adapter, [adapterInterface, managerInterface]),
            try connection.export(Self.device, [device(Self.address, "PTT-Z01", isTrusted: true)]),
            try connection.export(Self.service, [service(of: Self.device)]),
            try connection.export(Self.button, [characteristic(of: Self.service, at: Self.button)]),
        ]
    }

    /// Notifies `value`, as bluetoothd does: with a signal for each client that listens.
    ///
    /// - Returns: The moment just before the signal went to the bus.
    func notify(_ path: ObjectPath, _ value: UInt8) throws -> MonotonicInstant {
        let signal = BusSignal.propertiesChanged(
            path: path,
            interface: Self.characteristic,
            changed: ["Value": .bytes([value])]
        )
        let now = MonotonicInstant.now
        for _ in 0..<max(1, subscribers[path, default: []].count) { try connection.emit(signal) }
        return now
    }

    // MARK: Objects

    private var adapterInterface: ExportedInterface {
        ExportedInterface(
            "org.bluez.Adapter1",
            methods: [
                ExportedMethod("SetDiscoveryFilter", inputs: ["properties": "a{sv}"]) { $0.reply() },
                ExportedMethod("StartDiscovery") { [unowned self] call in
                    discoveries += 1
                    call.reply()
                },
                ExportedMethod("StopDiscovery") { $0.reply() },
            ],
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

    private func characteristic(of service: ObjectPath, at path: ObjectPath) -> ExportedInterface {
        ExportedInterface(
            Self.characteristic,
            methods: [
                ExportedMethod("StartNotify") { [unowned self] call in
                    subscribers[path, default: []].insert(call.sender)
                    call.reply()
                }
            ],
            properties: [
                ExportedProperty("UUID", "s") { .string(Self.characteristicUUID) },
                ExportedProperty("Service", "o") { .objectPath(service) },
                ExportedProperty("Notifying", "b") { .boolean(true) },
                ExportedProperty("Flags", "as") { .strings(["read", "notify"]) },
            ]
        )
    }
}
