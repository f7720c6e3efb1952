/// An interface of an object of another program on the bus: its calls, and the rules of its signals.
package struct RemoteInterface: Sendable {
    package let service: String
    package let path: ObjectPath
    package let name: String

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
        MethodCall(
            to: service,
            path: path,
            interface: name,
            member: member,
            arguments: arguments,
            startsService: startsService
        )
    }

    /// `Properties.Get`; the result is one variant.
    package func get(_ property: String) -> MethodCall { properties("Get", .string(property)) }

    /// `Properties.GetAll`; the result is one ``BusValue/asProperties``.
    package func getAll() -> MethodCall { properties("GetAll") }

    /// `Properties.Set`.
    package func set(_ property: String, to value: BusValue) -> MethodCall {
        properties("Set", .string(property), .variant(value))
    }

    private func properties(_ member: String, _ arguments: BusValue...) -> MethodCall {
        MethodCall(
            to: service,
            path: path,
            interface: StandardInterface.properties,
            member: member,
            arguments: [.string(name)] + arguments
        )
    }

    package func signal(_ member: String) -> MatchRule {
        MatchRule(sender: service, path: path, interface: name, member: member)
    }

    /// Changes of its properties.
    package var propertyChanges: MatchRule {
        MatchRule(
            sender: service,
            path: path,
            interface: StandardInterface.properties,
            member: "PropertiesChanged",
            firstArgument: name
        )
    }
}
