/// A method call to be sent.
package struct MethodCall: Sendable, Equatable, CustomStringConvertible {
    /// A well-known name. Unique names do not survive a restart of the service (`ServiceUnknown`).
    package var destination: String
    package var path: ObjectPath
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
    /// Whether the bus may start a service for a name that nobody owns.
    package var startsService: Bool

    package init(
        to destination: String,
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        startsService: Bool = true
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.startsService = startsService
    }

    package var description: String { "call \(interface).\(member) of \(destination) on \(path)" }
}

extension MethodCall {
    /// `Properties.Get`; the answer is one variant.
    package static func getProperty(
        _ name: String,
        _ interface: String,
        of destination: String,
        _ path: ObjectPath
    ) -> MethodCall {
        MethodCall(
            to: destination,
            path,
            StandardInterface.properties,
            "Get",
            [.string(interface), .string(name)]
        )
    }

    /// `Properties.GetAll`; the answer is one ``BusValue/asProperties``.
    package static func getProperties(
        _ interface: String,
        of destination: String,
        _ path: ObjectPath
    ) -> MethodCall {
        MethodCall(to: destination, path, StandardInterface.properties, "GetAll", [.string(interface)])
    }

    /// `Properties.Set`.
    package static func setProperty(
        _ name: String,
        _ interface: String,
        to value: BusValue,
        of destination: String,
        _ path: ObjectPath
    ) -> MethodCall {
        MethodCall(
            to: destination,
            path,
            StandardInterface.properties,
            "Set",
            [.string(interface), .string(name), .variant(value)]
        )
    }

    /// `ObjectManager.GetManagedObjects`; the answer is one ``BusValue/asManagedObjects``.
    package static func getManagedObjects(of destination: String, _ path: ObjectPath = "/") -> MethodCall {
        MethodCall(to: destination, path, StandardInterface.objectManager, "GetManagedObjects")
    }
}

/// The interfaces of the D-Bus specification ("Standard Interfaces") and the bus itself.
enum StandardInterface {
    static let bus = "org.freedesktop.DBus"
    static let busPath: ObjectPath = "/org/freedesktop/DBus"
    static let local = "org.freedesktop.DBus.Local"
    static let peer = "org.freedesktop.DBus.Peer"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
