import AccessoryCore
import DBus

/// The names that BlueZ uses on the bus.
enum BlueZ {
    static let name = "org.bluez"
    static let root: ObjectPath = "/org/bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let profileManager = "org.bluez.ProfileManager1"
    static let battery = "org.bluez.Battery1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisementMonitorManager = "org.bluez.AdvertisementMonitorManager1"
    static let agentManager = "org.bluez.AgentManager1"

    /// A call of a method of one of its objects, which does not start bluetoothd.
    static func call(
        _ member: String,
        of interface: String,
        on path: ObjectPath,
        _ arguments: [BusValue] = []
    ) -> MethodCall {
        remote(interface, of: path).call(member, arguments, startsService: false)
    }

    /// An interface of one of its objects.
    static func remote(_ interface: String, of path: ObjectPath) -> RemoteInterface {
        RemoteInterface(service: name, path: path, name: interface)
    }
}

/// A BlueZ object of one interface, with the properties that this program uses.
protocol BlueZObject: Equatable {
    init()
    mutating func read(_ properties: inout PropertyReader)
    /// Returns true if it is another object for those who use it.
    func differs(from before: Self) -> Bool
}

/// A Bluetooth controller (org.bluez.Adapter).
struct BlueZAdapter: BlueZObject {
    var address = ""
    var isPowered = false

    mutating func read(_ properties: inout PropertyReader) {
        properties.read("Address", \.asString, into: &address, else: "")
        properties.read("Powered", \.asBool, into: &isPowered, else: false)
    }
}

/// A remote device that BlueZ knows (org.bluez.Device).
struct BlueZDevice: BlueZObject {
    var address = ""
    /// `public` or `random`: of the present address, which is replaced by the identity address when a device
    /// that hides it is bonded.
    var addressType = ""
    /// The class of device, which only classic Bluetooth has.
    var deviceClass: Int?
    /// The remote name, if it is known.
    var name: String?
    /// The remote name, or the name that the user has set; the address with dashes if there is neither.
    var alias = ""
    /// As advertised, or as found when its services were last resolved; kept while it is away.
    var uuids: Set<GattUUID> = []
    var isConnected = false
    var areServicesResolved = false
    var isPaired = false
    var isTrusted = false
    /// The signal strength in dBm, known only while a discovery finds the device.
    var rssi: Int?
    /// The last service data of BTHome that it has advertised.
    var advertised: [UInt8]?
    var adapter: ObjectPath?

    /// True if a person has had to do with it, as opposed to a device that only a scan has found.
    var isKnown: Bool { isTrusted || isPaired || isConnected }

    mutating func read(_ properties: inout PropertyReader) {
        properties.read("Address", \.asString, into: &address, else: "")
        properties.read("AddressType", \.asString, into: &addressType, else: "")
        properties.read("Class", { $0.asInt.map { $0 } }, into: &deviceClass, else: nil)
        properties.read("Name", { $0.asString.map { $0 } }, into: &name, else: nil)
        properties.read("Alias", \.asString, into: &alias, else: "")
        properties.read("UUIDs", \.asUUIDs, into: &uuids, else: [])
        properties.read("Connected", \.asBool, into: &isConnected, else: false)
        properties.read("ServicesResolved", \.asBool, into: &areServicesResolved, else: false)
        properties.read("Paired", \.asBool, into: &isPaired, else: false)
        properties.read("Trusted", \.asBool, into: &isTrusted, else: false)
        properties.read("RSSI", { $0.asInt.map { $0 } }, into: &rssi, else: nil)
        properties.read("ServiceData", \.asBTHome, into: &advertised, else: nil)
        properties.read("Adapter", { $0.asObjectPath.map { $0 } }, into: &adapter, else: nil)
    }
}

/// The battery of a connected device (org.bluez.Battery), from its GATT service 180F or its hands-free
/// profile.
struct BlueZBattery: BlueZObject {
    /// 0 to 100; nil if it is unknown.
    var percentage: Int?

    mutating func read(_ properties: inout PropertyReader) {
        properties.read(
            "Percentage",
            { $0.asInt.map { (0...100).contains($0) ? $0 : nil } },
            into: &percentage,
            else: nil
        )
    }
}

/// A GATT service or characteristic of a connected device (org.bluez.GattService,
/// org.bluez.GattCharacteristic). The `Value` of a characteristic is not kept: after a disconnect it is still
/// the last value, which is not the state of the button.
struct BlueZGattObject: BlueZObject {
    /// Nil if BlueZ has not sent it.
    var uuid: GattUUID?
    /// Of a characteristic.
    var isNotifying = false

    mutating func read(_ properties: inout PropertyReader) {
        properties.read("UUID", \.asUUID, into: &uuid, else: nil)
        properties.read("Notifying", \.asBool, into: &isNotifying, else: false)
    }
}

extension BusValue {
    /// Of all service data that of BTHome, nil if there is none of it.
    fileprivate var asBTHome: [UInt8]?? {
        asProperties.map { $0[BusKey(BTHome.service.text)]?.asBytes }
    }

    fileprivate var asUUID: GattUUID?? { asString.flatMap { GattUUID($0) }.map { $0 } }

    /// The UUIDs of a device that has hundreds are parsed once, not each time that something of it changes.
    fileprivate var asUUIDs: Set<GattUUID>? {
        asStrings.map { Set($0.compactMap { GattUUID($0) }) }
    }
}

/// Reads properties that a peer sent. One of the wrong type is skipped and recorded.
struct PropertyReader {
    private let changed: [BusKey: BusValue]
    private let invalidated: [BusKey]
    /// The properties of the wrong type.
    private(set) var malformed: [String] = []

    init(_ changed: [BusKey: BusValue], invalidated: [BusKey] = []) {
        self.changed = changed
        self.invalidated = invalidated
    }

    /// Reads a property into `value` if it was sent. An invalidated one becomes `missing`.
    mutating func read<Value>(
        _ name: BusKey,
        _ convert: (BusValue) -> Value?,
        into value: inout Value,
        else missing: Value
    ) {
        if invalidated.contains(name) { value = missing }
        guard let raw = changed[name] else { return }
        guard let read = convert(raw) else { return malformed.append(name.text) }
        value = read
    }
}
