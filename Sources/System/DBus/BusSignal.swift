/// A signal, received or to be emitted.
package struct BusSignal: Sendable, Equatable {
    /// The unique name of the sender, set by the bus; nil in a signal to be emitted.
    package let sender: String?
    package let path: ObjectPath
    package let interface: String
    package let member: String
    package let arguments: [BusValue]
    /// The number that the sender gave the message. libdbus numbers all messages of a connection
    /// consecutively, whomever they are for. Zero in a signal to be emitted.
    package let serial: UInt32

    package init(
        path: ObjectPath,
        interface: String,
        member: String,
        arguments: [BusValue] = [],
        sender: String? = nil,
        serial: UInt32 = 0
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.serial = serial
    }
}

/// The contents of a `PropertiesChanged` signal.
package struct PropertyChanges: Sendable, Equatable {
    /// The interface whose properties changed.
    package let interface: String
    /// New values, without variants around them.
    package let changed: [BusKey: BusValue]
    /// Properties that changed without their new values being sent.
    package let invalidated: [BusKey]
}

extension BusSignal {
    /// The body of a `PropertiesChanged` signal; nil for other signals and for a malformed one.
    package var propertyChanges: PropertyChanges? {
        guard interface == StandardInterface.properties, member == "PropertiesChanged", arguments.count == 3,
            let interface = arguments[0].asString, let changed = arguments[1].asProperties,
            let invalidated = arguments[2].asStrings
        else { return nil }
        return PropertyChanges(
            interface: interface,
            changed: changed,
            invalidated: invalidated.map { BusKey($0) }
        )
    }

    /// A `PropertiesChanged` signal.
    package static func propertiesChanged(
        path: ObjectPath,
        interface: String,
        changed: [BusKey: BusValue],
        invalidated: [BusKey] = []
    ) -> BusSignal {
        BusSignal(
            path: path,
            interface: StandardInterface.properties,
            member: "PropertiesChanged",
            arguments: [.string(interface), .properties(changed), .strings(invalidated.map(\.text))]
        )
    }
}

/// The signals to receive. Nil matches anything; a narrow rule means few wake-ups.
package struct MatchRule: Hashable, Sendable {
    /// A unique or well-known name. A well-known name matches only signals of its current owner, never those
    /// that another peer sends directly to this connection.
    package var sender: String?
    package var path: ObjectPath?
    /// Matches this path and everything below it.
    package var pathNamespace: ObjectPath?
    package var interface: String?
    package var member: String?
    /// Matches if the first argument is this string.
    package var firstArgument: String?
    /// Matches if the first argument is this bus name, or one below it.
    var firstArgumentNamespace: String?

    package init(
        sender: String? = nil,
        path: ObjectPath? = nil,
        pathNamespace: ObjectPath? = nil,
        interface: String? = nil,
        member: String? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }

    /// `InterfacesAdded` and `InterfacesRemoved` of an object manager.
    package static func managedObjects(of sender: String, path: ObjectPath = "/") -> MatchRule {
        MatchRule(sender: sender, path: path, interface: StandardInterface.objectManager)
    }

    /// `NameOwnerChanged` of all names below `namespace`: the name, its former owner and its new one, each
    /// empty if there is none.
    package static func owners(below namespace: String) -> MatchRule {
        var rule = owner(of: namespace)
        rule.firstArgument = nil
        rule.firstArgumentNamespace = namespace
        return rule
    }

    /// `NameOwnerChanged` of a name: the name, its former owner and its new one, each empty if there is none.
    package static func owner(of name: String) -> MatchRule {
        var rule = RemoteInterface.bus.signal("NameOwnerChanged")
        rule.firstArgument = name
        return rule
    }

    /// The rule in the syntax of the D-Bus specification ("Match Rules").
    var text: String {
        let parts = [
            ("sender", sender), ("path", path?.text), ("path_namespace", pathNamespace?.text),
            ("interface", interface), ("member", member), ("arg0", firstArgument),
            ("arg0namespace", firstArgumentNamespace),
        ]
        var text = "type='signal'"
        for (key, value) in parts {
            if let value { text += ",\(key)=\(Self.quoted(value))" }
        }
        return text
    }

    private static func isWithin(_ name: String, _ namespace: String) -> Bool {
        guard name.utf8.starts(with: namespace.utf8) else { return false }
        let rest = name.utf8.dropFirst(namespace.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: ".")
    }

    /// Within quotes only the quote itself needs escaping.
    private static func quoted(_ value: String) -> String {
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if byte == UInt8(ascii: "'") { bytes += #"'\'"#.utf8 }
            bytes.append(byte)
        }
        return "'" + String(decoding: bytes, as: UTF8.self) + "'"
    }

    /// Matches everything but the sender: only the connection knows the owner of a name.
    func matches(_ signal: SignalHeader) -> Bool {
        if let path, path != signal.path { return false }
        if let member, member != signal.member { return false }
        if let interface, interface != signal.interface { return false }
        if let pathNamespace, !signal.path.isWithin(pathNamespace) { return false }
        // Compared by bytes, as by the bus.
        if let firstArgumentNamespace {
            guard let first = signal.firstString, Self.isWithin(first, firstArgumentNamespace) else {
                return false
            }
        }
        guard let firstArgument else { return true }
        return signal.firstString.map { BusKey($0) == BusKey(firstArgument) } ?? false
    }
}

/// The fields that a match rule can test.
struct SignalHeader {
    let path: ObjectPath
    let interface: String
    let member: String
    let firstString: String?

    init?(of message: borrowing BusMessage) {
        guard let path = message.path.flatMap({ ObjectPath($0) }), let interface = message.interface,
            let member = message.member
        else { return nil }
        self.path = path
        self.interface = interface
        self.member = member
        firstString = message.firstString
    }
}
