import CDBus
import EventLoop

extension BusConnection {
    /// Exports an object with its own interfaces and `Properties`, `Introspectable` and `Peer`. Object
    /// managers above it announce it. A manager has `ObjectManager`, and announces all exported objects below
    /// its path.
    ///
    /// - Returns: The object, which is withdrawn when this reference is dropped.
    /// - Throws: `ObjectPathInUse` if the path is in use.
    package func export(
        _ path: ObjectPath,
        _ interfaces: [ExportedInterface] = [],
        isManager: Bool = false
    ) throws(BusError) -> ExportedObject {
        guard objects[path]?.object == nil else {
            throw .standard("ObjectPathInUse", "\(path) is already exported")
        }
        let object = ExportedObject(path, interfaces, isManager: isManager, on: self)
        objects[path] = WeakObject(object: object)
        announce("InterfacesAdded", of: object, arguments: [.objectPath(path), object.description])
        return object
    }

    func withdraw(_ object: ExportedObject) {
        // A weak reference to an object in deinit reads as nil; another object may own the path by now.
        if let current = objects[object.path]?.object, current !== object { return }
        guard objects.removeValue(forKey: object.path) != nil else { return }
        let names = object.interfaces.map(\.name)
        announce("InterfacesRemoved", of: object, arguments: [.objectPath(object.path), .strings(names)])
    }

    private func announce(_ member: String, of object: ExportedObject, arguments: [BusValue]) {
        for manager in objects.values.compactMap(\.object)
        where manager.isManager && manager.path != object.path && object.path.isWithin(manager.path) {
            // Fails only if the connection has ended, and then there are no listeners.
            try? emit(
                BusSignal(
                    path: manager.path,
                    interface: StandardInterface.objectManager,
                    member: member,
                    arguments: arguments
                )
            )
        }
    }

    // MARK: - Incoming calls

    func received(call message: borrowing BusMessage) {
        guard let path = message.path.flatMap({ ObjectPath($0) }), let member = message.member else { return }
        let invocation = MethodInvocation(message, path, on: self)
        do throws(BusError) {
            let values = try answer(to: message, member: member, invocation)
            if let values { invocation.complete(.success(values)) }
        } catch {
            invocation.fail(error)
        }
    }

    /// - Returns: Nil if the handler of a method answers.
    private func answer(
        to message: borrowing BusMessage,
        member: String,
        _ invocation: MethodInvocation
    ) throws(BusError) -> [BusValue]? {
        let path = invocation.path
        let object = objects[path]?.object
        switch message.interface {
        case StandardInterface.peer:
            return try peerAnswer(to: member)
        case StandardInterface.introspectable where member == "Introspect":
            let children = objects.keys.filter { $0 != path && $0.isWithin(path) }
            guard object != nil || !children.isEmpty else { throw .unknownObject(path) }
            return [.string(Introspection.text(of: object, at: path, children: children))]
        case let interface:
            guard let object else { throw .unknownObject(path) }
            return try answer(to: message, interface: interface, member: member, of: object, invocation)
        }
    }

    private func answer(
        to message: borrowing BusMessage,
        interface: String?,
        member: String,
        of object: ExportedObject,
        _ invocation: MethodInvocation
    ) throws(BusError) -> [BusValue]? {
        if interface == StandardInterface.properties {
            return try object.propertiesAnswer(to: member, try message.arguments())
        }
        if interface == StandardInterface.objectManager, member == "GetManagedObjects", object.isManager {
            return [managedObjects(below: object.path)]
        }
        let interfaces = object.interfaces.filter { interface == nil || $0.name == interface }
        guard let method = interfaces.lazy.flatMap(\.methods).first(where: { $0.name == member }) else {
            let name = interface.map { "\($0).\(member)" } ?? member
            throw .standard("UnknownMethod", "\(object.path) has no method \(name)")
        }
        let expected = method.inputs.map(\.type).joined()
        let given = message.signature
        guard expected == given else {
            throw .invalidArguments("\(member) expects (\(expected)), not (\(given))")
        }
        invocation.arguments = try message.arguments()
        method.handler(invocation)
        return nil
    }

    private func managedObjects(below root: ObjectPath) -> BusValue {
        var entries: [BusValue: BusValue] = [:]
        for object in objects.values.compactMap(\.object)
        where object.path != root && object.path.isWithin(root) {
            entries[.objectPath(object.path)] = object.description
        }
        return .dictionary(keys: "o", values: "a{sa{sv}}", entries)
    }

    private func peerAnswer(to member: String) throws(BusError) -> [BusValue] {
        switch member {
        case "Ping":
            return []
        case "GetMachineId":
            let text = try withBusError { dbus_try_get_local_machine_id($0) }
            defer { dbus_free(text) }
            return [.string(String(cString: text))]
        default:
            throw .standard("UnknownMethod", "Peer has no method \(member)")
        }
    }
}

extension BusError {
    fileprivate static func unknownObject(_ path: ObjectPath) -> BusError {
        .standard("UnknownObject", "there is no object \(path)")
    }
}

extension ExportedObject {
    /// `org.freedesktop.DBus.Properties`.
    fileprivate func propertiesAnswer(to member: String, _ arguments: [BusValue]) throws(BusError)
        -> [BusValue]
    {
        switch (member, arguments.map(\.signature).joined()) {
        case ("Get", "ss"):
            guard let value = try property(arguments).get() else {
                throw .standard("UnknownProperty", "\(path) has no value for it at present")
            }
            return [.variant(value)]
        case ("GetAll", "s"):
            return [properties(of: try interface(arguments))]
        case ("Set", "ssv"):
            try set(try property(arguments), to: arguments[2].unwrapped)
            return []
        case ("Get", _), ("GetAll", _), ("Set", _):
            throw .invalidArguments("\(member) was called with arguments of other types")
        default:
            throw .standard("UnknownMethod", "Properties has no method \(member)")
        }
    }

    private func set(_ property: ExportedProperty, to value: BusValue) throws(BusError) {
        guard let set = property.set else {
            throw .standard("PropertyReadOnly", "\(property.name) is read-only")
        }
        guard value.signature == property.type else {
            throw .invalidArguments("\(property.name) is of type \(property.type), not \(value.signature)")
        }
        try set(value)
    }

    private func interface(_ arguments: [BusValue]) throws(BusError) -> ExportedInterface {
        let name = arguments.first?.asString ?? ""
        guard let interface = interfaces.first(where: { $0.name == name }) else {
            throw .standard("UnknownInterface", "\(path) has no interface \(name)")
        }
        return interface
    }

    private func property(_ arguments: [BusValue]) throws(BusError) -> ExportedProperty {
        let interface = try interface(arguments)
        let name = arguments[1].asString ?? ""
        guard let property = interface.properties.first(where: { $0.name == name }) else {
            throw .standard("UnknownProperty", "\(interface.name) has no property \(name)")
        }
        return property
    }
}
