/// An interface of an object of another program on the bus: its calls, and the rules of its signals.
package struct RemoteInterface: Equatable, Sendable {
    /// A well-known name. Unique names do not survive a restart of the service (`ServiceUnknown`).
    package let service: String
    package let path: ObjectPath
    package let name: String

    /// The interface of the bus itself.
    static let bus = RemoteInterface(
        service: StandardInterface.bus,
        path: "/org/freedesktop/DBus",
        name: StandardInterface.bus
    )

    package init(service: String, path: ObjectPath, name: String) {
        self.service = service
        self.path = path
        self.name = name
    }

    package func call(
        _ member: String,
        _ arguments: [BusValue] = [],
        startsService: Bool = true
    ) -> MethodCall {
        MethodCall(interface: self, member: member, arguments: arguments, startsService: startsService)
    }

    /// `Properties.Get`; the result is one variant.
    package func get(_ property: String) -> MethodCall {
        properties.call("Get", [.string(name), .string(property)])
    }

    /// `Properties.GetAll`; the result is one ``BusValue/asProperties``.
    package func getAll() -> MethodCall { properties.call("GetAll", [.string(name)]) }

    /// `Properties.Set`.
    package func set(_ property: String, to value: BusValue) -> MethodCall {
        properties.call("Set", [.string(name), .string(property), .variant(value)])
    }

    package func signal(_ member: String) -> MatchRule {
        MatchRule(sender: service, path: path, interface: name, member: member)
    }

    /// Changes of its properties.
    package var propertyChanges: MatchRule {
        var rule = properties.signal("PropertiesChanged")
        rule.firstArgument = name
        return rule
    }

    private var properties: RemoteInterface {
        RemoteInterface(service: service, path: path, name: StandardInterface.properties)
    }
}
