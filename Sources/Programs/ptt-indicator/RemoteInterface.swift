import DBus

/// An interface of an object of another program on the bus: its calls, and the rules of its signals.
struct RemoteInterface {
    let service: String
    let path: ObjectPath
    let name: String

    func call(_ member: String, _ arguments: [BusValue] = [], startsService: Bool = true) -> MethodCall {
        MethodCall(
            to: service,
            path: path,
            interface: name,
            member: member,
            arguments: arguments,
            startsService: startsService
        )
    }

    func get(_ property: String) -> MethodCall {
        .getProperty(property, interface: name, of: service, path: path)
    }

    func signal(_ member: String) -> MatchRule {
        MatchRule(sender: service, path: path, interface: name, member: member)
    }
}
