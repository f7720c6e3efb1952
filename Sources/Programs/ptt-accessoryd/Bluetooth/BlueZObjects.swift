import DBus

/// The tree of objects that BlueZ has told about.
struct BlueZObjects: Equatable {
    private(set) var adapters: [ObjectPath: BlueZAdapter] = [:]
    private(set) var devices: [ObjectPath: BlueZDevice] = [:]
    private(set) var services: [ObjectPath: BlueZService] = [:]
    private(set) var characteristics: [ObjectPath: BlueZCharacteristic] = [:]
    /// Objects that take `GattProfile1` registrations.
    private(set) var gattManagers: Set<ObjectPath> = []

    /// Something that a peer sent and that makes no sense, for the log.
    typealias Complaint = String

    /// Takes over what appeared, or the first picture of it.
    mutating func add(_ path: ObjectPath, _ interfaces: [BusKey: [BusKey: BusValue]]) -> [Complaint] {
        if interfaces[BusKey(BlueZ.gattManager)] != nil { gattManagers.insert(path) }
        return interfaces.flatMap { change(path, $0.text, PropertyReader($1), isNew: true) }
    }

    mutating func remove(_ path: ObjectPath, _ interfaces: [String]) {
        for interface in interfaces {
            switch interface {
            case BlueZ.adapter: adapters[path] = nil
            case BlueZ.device: devices[path] = nil
            case BlueZ.service: services[path] = nil
            case BlueZ.characteristic: characteristics[path] = nil
            case BlueZ.gattManager: gattManagers.remove(path)
            default: break  // Interfaces that are of no use here.
            }
        }
    }

    /// Follows changed properties. Those of an object that is not known are passed over.
    mutating func apply(_ properties: PropertyReader, of interface: String, to path: ObjectPath)
        -> [Complaint]
    {
        change(path, interface, properties, isNew: false)
    }

    private mutating func change(
        _ path: ObjectPath,
        _ interface: String,
        _ reader: PropertyReader,
        isNew: Bool
    ) -> [Complaint] {
        var reader = reader
        switch interface {
        case BlueZ.adapter: Self.update(&adapters[path], &reader, isNew)
        case BlueZ.device: Self.update(&devices[path], &reader, isNew)
        case BlueZ.service: Self.update(&services[path], &reader, isNew)
        case BlueZ.characteristic: Self.update(&characteristics[path], &reader, isNew)
        default: break  // Interfaces that are of no use here.
        }
        return reader.malformed.map { "\(path): \(interface).\($0) has a wrong type and is passed over" }
    }

    private static func update<Object: BlueZObject>(
        _ object: inout Object?,
        _ reader: inout PropertyReader,
        _ isNew: Bool
    ) {
        guard var updated = isNew ? Object() : object else { return }
        updated.read(&reader)
        object = updated
    }
}

// MARK: - Who belongs to whom

extension BlueZObjects {
    /// The device that `path` is or lies below: `/org/bluez/hci0/dev_…/service…/char…`.
    func device(of path: ObjectPath) -> ObjectPath? {
        if devices[path] != nil { return path }
        let elements = path.text.split(separator: "/").prefix(4)
        guard elements.count == 4, let device = ObjectPath("/" + elements.joined(separator: "/")) else {
            return nil
        }
        return devices[device] == nil ? nil : device
    }

    /// The adapter of a device is powered. A stopped controller leaves `Connected` behind for a moment.
    func isAdapterPowered(of device: BlueZDevice) -> Bool {
        device.adapter.flatMap { adapters[$0] }?.isPowered ?? false
    }

    /// What a device offers at present: empty until its services have been resolved once.
    func characteristics(of device: ObjectPath) -> [(service: String, uuid: String, path: ObjectPath)] {
        services.keys.sorted().filter { $0.isWithin(device) }.flatMap { service in
            characteristics.keys.sorted().filter { $0.isWithin(service) }.map {
                (services[service]?.uuid ?? "", characteristics[$0]?.uuid ?? "", $0)
            }
        }
    }

    func hasServices(_ device: ObjectPath) -> Bool {
        services.keys.contains { $0.isWithin(device) }
    }

    /// Finds a device by its Bluetooth address, on a powered adapter if it is known to several.
    func device(address: String) -> ObjectPath? {
        let wanted = address.uppercased()
        let found = devices.filter { $0.value.address.uppercased() == wanted }
        let best = found.first { isAdapterPowered(of: $0.value) } ?? found.first
        return best?.key
    }
}
