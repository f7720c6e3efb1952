/// An outgoing method call, made by a ``RemoteInterface``.
package struct MethodCall: Sendable, Equatable, CustomStringConvertible {
    let interface: RemoteInterface
    package let member: String
    let arguments: [BusValue]
    /// True if the bus may start a service for a name that has no owner.
    package var startsService: Bool

    package var description: String {
        "call \(interface.name).\(member) of \(interface.service) on \(interface.path)"
    }
}

extension MethodCall {
    /// A call to the bus itself.
    package static func bus(_ member: String, _ arguments: BusValue...) -> MethodCall {
        RemoteInterface.bus.call(member, arguments)
    }

    /// `ObjectManager.GetManagedObjects`; the result is one ``BusValue/asManagedObjects``.
    package static func getManagedObjects(of destination: String, path: ObjectPath = "/") -> MethodCall {
        RemoteInterface(service: destination, path: path, name: StandardInterface.objectManager)
            .call("GetManagedObjects")
    }
}

/// The interfaces of the D-Bus specification ("Standard Interfaces") and the bus itself.
enum StandardInterface {
    static let bus = "org.freedesktop.DBus"
    static let local = "org.freedesktop.DBus.Local"
    static let peer = "org.freedesktop.DBus.Peer"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
