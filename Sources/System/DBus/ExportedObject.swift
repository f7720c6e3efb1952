package import EventLoop

/// An object that peers on the bus can call. It is withdrawn when it is dropped.
@EventLoop
package final class ExportedObject {
    package let path: ObjectPath
    let interfaces: [ExportedInterface]
    /// True if it has `ObjectManager` and announces the objects below it.
    let isManager: Bool
    private weak var connection: BusConnection?

    init(_ path: ObjectPath, _ interfaces: [ExportedInterface], isManager: Bool, on connection: BusConnection)
    {
        self.path = path
        self.interfaces = interfaces
        self.isManager = isManager
        self.connection = connection
    }

    isolated deinit { withdraw() }

    /// Removes the object from the bus, which its object managers announce. Further calls do nothing.
    package func withdraw() {
        connection?.withdraw(self)
        connection = nil
    }

    /// Emits `PropertiesChanged` with the current values of the properties.
    package func emitPropertiesChanged(_ interface: String, _ names: [String]) {
        let exported = interfaces.first { $0.name == interface }
        var changed: [BusKey: BusValue] = [:]
        for property in exported?.properties ?? [] where names.contains(property.name) {
            changed[BusKey(property.name)] = property.get()
        }
        let signal = BusSignal.propertiesChanged(
            path: path,
            interface: interface,
            changed: changed,
            invalidated: names.map { BusKey($0) }.filter { changed[$0] == nil }
        )
        // Fails only if the connection has ended, and then there are no listeners.
        try? connection?.emit(signal)
    }

    func properties(of interface: ExportedInterface) -> BusValue {
        var values: [BusKey: BusValue] = [:]
        for property in interface.properties { values[BusKey(property.name)] = property.get() }
        return .properties(values)
    }

    /// All interfaces with their properties, `a{sa{sv}}`.
    var description: BusValue {
        var entries: [BusValue: BusValue] = [:]
        for interface in interfaces { entries[.string(interface.name)] = properties(of: interface) }
        return .dictionary(keys: "s", values: "a{sv}", entries)
    }
}

/// A weak reference: the owners keep exported objects alive, not the connection.
struct WeakObject {
    weak var object: ExportedObject?
}
