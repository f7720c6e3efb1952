import CDBus
import EventLoop

extension BusConnection {
    /// Exports an object with its own interfaces and `Properties`, `Introspectable` and `Peer`. Object
    /// managers above it announce it.
    ///
    /// - Parameters:
    ///   - path: That of the object.
    ///   - interfaces: Its own.
    ///   - isManager: Whether it has `ObjectManager`, and announces all exported objects below its path.
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
        let object = objects[path]?.object
        switch message.interface {
        case StandardInterface.peer:
            handlePeer(member, invocation)
        case StandardInterface.introspectable where member == "Introspect":
            let children = objects.keys.filter { $0 != path && $0.isWithin(path) }
            guard object != nil || !children.isEmpty else { return invocation.fail(.unknownObject(path)) }
            invocation.reply(.string(Introspection.text(of: object, at: path, children: children)))
        case let interface:
            guard let object else { return invocation.fail(.unknownObject(path)) }
            dispatch(message, interface: interface, member: member, to: object, as: invocation)
        }
    }

    private func dispatch(
        _ message: borrowing BusMessage,
        interface: String?,
        member: String,
        to object: ExportedObject,
        as invocation: MethodInvocation
    ) {
        if interface == StandardInterface.properties {
            guard invocation.readArguments(of: message) else { return }
            return invocation.complete(object.handleProperties(member, invocation.arguments))
        }
        if interface == StandardInterface.objectManager, member == "GetManagedObjects", object.isManager {
            return invocation.reply(managedObjects(below: object.path))
        }
        let interfaces = object.interfaces.filter { interface == nil || $0.name == interface }
        guard let method = interfaces.lazy.flatMap(\.methods).first(where: { $0.name == member }) else {
            let name = interface.map { "\($0).\(member)" } ?? member
            return invocation.fail(.standard("UnknownMethod", "\(object.path) has no method \(name)"))
        }
        let expected = method.inputs.map(\.type).joined()
        let given = message.signature
        guard expected == given else {
            return invocation.fail(.invalidArguments("\(member) expects (\(expected)), not (\(given))"))
        }
        guard invocation.readArguments(of: message) else { return }
        method.handler(invocation)
    }

    private func managedObjects(below root: ObjectPath) -> BusValue {
        var entries: [BusValue: BusValue] = [:]
        for object in objects.values.compactMap(\.object)
        where object.path != root && object.path.isWithin(root) {
            entries[.objectPath(object.path)] = object.description
        }
        return .dictionary(keys: "o", values: "a{sa{sv}}", entries)
    }

    private func handlePeer(_ member: String, _ invocation: MethodInvocation) {
        switch member {
        case "Ping":
            invocation.reply()
        case "GetMachineId":
            do throws(BusError) {
                let text = try withBusError { dbus_try_get_local_machine_id($0) }
                defer { dbus_free(text) }
                invocation.reply(.string(String(cString: text)))
            } catch {
                invocation.fail(error)
            }
        default:
            invocation.fail(.standard("UnknownMethod", "Peer has no method \(member)"))
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
    fileprivate func handleProperties(_ member: String, _ arguments: [BusValue]) -> Result<
        [BusValue], BusError
    > {
        do throws(BusError) {
            switch (member, arguments.map(\.signature).joined()) {
            case ("Get", "ss"):
                guard let value = try property(arguments).get() else {
                    throw .standard("UnknownProperty", "\(path) has no value for it at present")
                }
                return .success([.variant(value)])
            case ("GetAll", "s"):
                return .success([properties(of: try interface(arguments))])
            case ("Set", "ssv"):
                try set(try property(arguments), to: arguments[2].unwrapped)
                return .success([])
            case ("Get", _), ("GetAll", _), ("Set", _):
                throw .invalidArguments("\(member) was called with arguments of other types")
            default:
                throw .standard("UnknownMethod", "Properties has no method \(member)")
            }
        } catch {
            return .failure(error)
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
