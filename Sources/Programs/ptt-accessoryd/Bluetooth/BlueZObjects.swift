import AccessoryCore
import DBus

/// The objects that BlueZ has reported.
struct BlueZObjects: Equatable {
    private(set) var adapters: [ObjectPath: BlueZAdapter] = [:]
    private(set) var devices: [ObjectPath: BlueZDevice] = [:]
    /// By the path of the device. BlueZ removes the object with the link.
    private(set) var batteries: [ObjectPath: BlueZBattery] = [:]
    /// Services and characteristics.
    private(set) var gattObjects: [ObjectPath: BlueZGattObject] = [:]
    /// Objects that accept `GattProfile1` registrations.
    private(set) var gattManagers: Set<ObjectPath> = []
    /// Adapters for which bluetoothd can monitor advertisements.
    private(set) var advertisementMonitorManagers: Set<ObjectPath> = []
    /// The services of each device and the characteristics of each service, by path, in the order of their
    /// paths.
    private var children: [ObjectPath: [ObjectPath]] = [:]
    /// Devices and services that have reported more than that.
    private var overfull: Set<ObjectPath> = []

    /// The most services of a device and characteristics of a service that are kept. A button has about ten;
    /// a hostile peripheral can have 65,535 (the handles of GATT).
    static let maximumChildren = 64

    /// Adds interfaces of an object, or replaces them. Returns which properties are malformed, for the log.
    mutating func add(_ path: ObjectPath, _ interfaces: [BusKey: [BusKey: BusValue]]) -> [String] {
        if interfaces[BusKey(BlueZ.gattManager)] != nil { gattManagers.insert(path) }
        if interfaces[BusKey(BlueZ.advertisementMonitorManager)] != nil {
            advertisementMonitorManagers.insert(path)
        }
        var warnings: [String] = []
        for (interface, properties) in interfaces {
            let isChild = interface.text == BlueZ.service || interface.text == BlueZ.characteristic
            if isChild, !addChild(path, &warnings) { continue }
            let reader = PropertyReader(properties)
            warnings += apply(reader, of: interface.text, to: path, isNew: true).warnings
        }
        return warnings
    }

    mutating func remove(_ path: ObjectPath, _ interfaces: [String]) {
        for interface in interfaces {
            switch interface {
            case BlueZ.adapter: adapters[path] = nil
            case BlueZ.device: devices[path] = nil
            case BlueZ.battery: batteries[path] = nil
            case BlueZ.service, BlueZ.characteristic:
                gattObjects[path] = nil
                removeChild(path)
            case BlueZ.gattManager: gattManagers.remove(path)
            case BlueZ.advertisementMonitorManager: advertisementMonitorManagers.remove(path)
            default: break  // Interfaces that are not used here.
            }
        }
    }

    /// Returns true if an object is of a kind that is used, and there was room for it.
    func contains(_ path: ObjectPath) -> Bool {
        devices[path] != nil || gattObjects[path] != nil || adapters[path] != nil
            || gattManagers.contains(path)
    }

    /// Applies the properties of a new object, or changed ones. Those of an unknown object are ignored.
    ///
    /// - Returns: True if it is another object for those who use it, and which properties are malformed.
    mutating func apply(
        _ properties: PropertyReader,
        of interface: String,
        to path: ObjectPath,
        isNew: Bool = false
    ) -> (hasChanged: Bool, warnings: [String]) {
        var reader = properties
        let hasChanged: Bool
        switch interface {
        case BlueZ.adapter: hasChanged = Self.update(&adapters[path], from: &reader, isNew: isNew)
        case BlueZ.device: hasChanged = Self.update(&devices[path], from: &reader, isNew: isNew)
        case BlueZ.battery: hasChanged = Self.update(&batteries[path], from: &reader, isNew: isNew)
        case BlueZ.service, BlueZ.characteristic:
            hasChanged = Self.update(&gattObjects[path], from: &reader, isNew: isNew)
        default: hasChanged = false  // Interfaces that are not used here.
        }
        let malformed = reader.malformed
        return (hasChanged, malformed.map { "\(path): ignored \(interface).\($0), which has the wrong type" })
    }

    /// Compares this one object only: there may be hundreds, and each sends its signal strength.
    private static func update<Object: BlueZObject>(
        _ object: inout Object?,
        from reader: inout PropertyReader,
        isNew: Bool
    ) -> Bool {
        guard var updated = isNew ? Object() : object else { return false }
        updated.read(&reader)
        defer { object = updated }
        return object.map { updated.differs(from: $0) } ?? true
    }

    /// - Returns: True if there was room for it.
    private mutating func addChild(_ path: ObjectPath, _ warnings: inout [String]) -> Bool {
        guard let parent = path.parent else { return false }
        // A characteristic of a service for which there was no room.
        if gattObjects[parent] == nil, let device = parent.parent, overfull.contains(device) { return false }
        var siblings = children[parent] ?? []
        if siblings.contains(path) { return true }
        guard siblings.count < Self.maximumChildren else {
            if overfull.insert(parent).inserted {
                warnings.append("\(parent): only the first \(siblings.count) objects below it are used")
            }
            return false
        }
        siblings.insert(path, at: siblings.firstIndex { path < $0 } ?? siblings.endIndex)
        children[parent] = siblings
        return true
    }

    private mutating func removeChild(_ path: ObjectPath) {
        guard let parent = path.parent else { return }
        children[parent]?.removeAll { $0 == path }
        guard children[parent]?.isEmpty == true else { return }
        children[parent] = nil
        overfull.remove(parent)
    }
}

extension BlueZObject {
    func differs(from before: Self) -> Bool { self != before }
}

extension BlueZDevice {
    /// The strength of a signal changes all the time while a discovery runs, and what a device advertises
    /// with each press.
    func differs(from before: BlueZDevice) -> Bool {
        var before = before
        // Only the first advertisement counts: it tells what the device is.
        if advertised != nil, before.advertised != nil { before.advertised = advertised }
        // Only that there is a strength counts: it says that the device is in reach.
        if rssi != nil, before.rssi != nil { before.rssi = rssi }
        return self != before
    }
}

// MARK: - Relations

extension BlueZObjects {
    /// The device at or above `path`: `/org/bluez/hci0/dev_…/service…/char…`.
    func device(of path: ObjectPath) -> ObjectPath? {
        if devices[path] != nil { return path }
        let elements = path.text.split(separator: "/").prefix(4)
        guard elements.count == 4, let device = ObjectPath("/" + elements.joined(separator: "/")) else {
            return nil
        }
        return devices[device] == nil ? nil : device
    }

    /// Returns true if the adapter of a device is powered. After a power-off, `Connected` remains true for a
    /// moment.
    func isAdapterPowered(of device: BlueZDevice) -> Bool {
        device.adapter.flatMap { adapters[$0] }?.isPowered ?? false
    }

    /// The services of a device, or the characteristics of a service; empty until the services have been
    /// resolved once.
    func gattObjects(below parent: ObjectPath) -> [(path: ObjectPath, uuid: GattUUID)] {
        (children[parent] ?? []).compactMap { path in gattObjects[path]?.uuid.map { (path, $0) } }
    }

    /// The characteristics of a device; empty until its services have been resolved once.
    func characteristics(of device: ObjectPath) -> [(service: GattUUID, uuid: GattUUID, path: ObjectPath)] {
        gattObjects(below: device).flatMap { service in
            gattObjects(below: service.path).map { (service.uuid, $0.uuid, $0.path) }
        }
    }

    func hasServices(_ device: ObjectPath) -> Bool { children[device] != nil }

    /// Finds a device by its Bluetooth address: of several adapters that know it, on the one that is
    /// connected with it, then on one that is powered, then on the first by path.
    func device(address: String) -> ObjectPath? { paths(ofAddress: address).first }

    /// The device on each adapter that knows it, in the order of ``device(address:)``.
    func paths(ofAddress address: String) -> [ObjectPath] {
        let wanted = address.uppercased()
        let found = devices.filter { $0.value.address.uppercased() == wanted }
        guard found.count > 1 else { return Array(found.keys) }
        func rank(_ device: BlueZDevice) -> Int {
            guard isAdapterPowered(of: device) else { return 2 }
            return device.isConnected ? 0 : 1
        }
        return found.sorted { (rank($0.value), $0.key) < (rank($1.value), $1.key) }.map(\.key)
    }

    /// The connected devices that have this name, on the adapter with this address.
    func connectedDevices(named name: String, adapter: String) -> [ObjectPath] {
        devices.filter { path, device in
            device.isConnected && device.name == name && isOn(path, adapter: adapter)
        }.keys.sorted()
    }

    /// Returns true if a device is on the adapter with this address.
    func isOn(_ device: ObjectPath, adapter: String) -> Bool {
        devices[device]?.adapter.flatMap { adapters[$0] }?.address.uppercased() == adapter.uppercased()
    }
}
