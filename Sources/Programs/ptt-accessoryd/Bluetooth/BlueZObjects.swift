import DBus

/// The objects that BlueZ has reported.
struct BlueZObjects: Equatable {
    private(set) var adapters: [ObjectPath: BlueZAdapter] = [:]
    private(set) var devices: [ObjectPath: BlueZDevice] = [:]
    private(set) var services: [ObjectPath: BlueZService] = [:]
    private(set) var characteristics: [ObjectPath: BlueZCharacteristic] = [:]
    /// Objects that accept `GattProfile1` registrations.
    private(set) var gattManagers: Set<ObjectPath> = []

    /// Describes malformed properties, for the log.
    typealias Warning = String

    /// Adds interfaces of an object, or replaces them.
    mutating func add(_ path: ObjectPath, _ interfaces: [BusKey: [BusKey: BusValue]]) -> [Warning] {
        if interfaces[BusKey(BlueZ.gattManager)] != nil { gattManagers.insert(path) }
        return interfaces.flatMap { update(path, interface: $0.text, from: PropertyReader($1), isNew: true) }
    }

    mutating func remove(_ path: ObjectPath, _ interfaces: [String]) {
        for interface in interfaces {
            switch interface {
            case BlueZ.adapter: adapters[path] = nil
            case BlueZ.device: devices[path] = nil
            case BlueZ.service: services[path] = nil
            case BlueZ.characteristic: characteristics[path] = nil
            case BlueZ.gattManager: gattManagers.remove(path)
            default: break  // Interfaces that are not used here.
            }
        }
    }

    /// Applies changed properties. Those of an unknown object are ignored.
    mutating func apply(_ properties: PropertyReader, of interface: String, to path: ObjectPath)
        -> [Warning]
    {
        update(path, interface: interface, from: properties, isNew: false)
    }

    private mutating func update(
        _ path: ObjectPath,
        interface: String,
        from properties: PropertyReader,
        isNew: Bool
    ) -> [Warning] {
        var reader = properties
        switch interface {
        case BlueZ.adapter: Self.update(&adapters[path], from: &reader, isNew: isNew)
        case BlueZ.device: Self.update(&devices[path], from: &reader, isNew: isNew)
        case BlueZ.service: Self.update(&services[path], from: &reader, isNew: isNew)
        case BlueZ.characteristic: Self.update(&characteristics[path], from: &reader, isNew: isNew)
        default: break  // Interfaces that are not used here.
        }
        return reader.malformed.map { "\(path): ignored \(interface).\($0), which has the wrong type" }
    }

    private static func update<Object: BlueZObject>(
        _ object: inout Object?,
        from reader: inout PropertyReader,
        isNew: Bool
    ) {
        guard var updated = isNew ? Object() : object else { return }
        updated.read(&reader)
        object = updated
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

    /// Whether the adapter of a device is powered. After a power-off, `Connected` remains true for a moment.
    func isAdapterPowered(of device: BlueZDevice) -> Bool {
        device.adapter.flatMap { adapters[$0] }?.isPowered ?? false
    }

    /// The characteristics of a device; empty until its services have been resolved once.
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

    /// Finds a device by its Bluetooth address, preferably on a powered adapter.
    func device(address: String) -> ObjectPath? {
        let wanted = address.uppercased()
        let found = devices.filter { $0.value.address.uppercased() == wanted }
        let best = found.first { isAdapterPowered(of: $0.value) } ?? found.first
        return best?.key
    }
}
