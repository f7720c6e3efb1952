package import JSON

/// An error of an interface, as a service replies with it.
package struct VarlinkError: Error, Equatable, Sendable, CustomStringConvertible {
    /// With its interface: `org.varlink.service.MethodNotFound`.
    package let name: String
    package let parameters: JSONObject

    package init(_ name: String, _ parameters: JSONObject = [:]) {
        self.name = name
        self.parameters = parameters
    }

    package var description: String {
        parameters.isEmpty ? name : "\(name) \(JSON.object(parameters).text)"
    }

    // The errors of every service (<https://varlink.org/Service>).

    package static func interfaceNotFound(_ interface: String) -> VarlinkError {
        VarlinkError("org.varlink.service.InterfaceNotFound", ["interface": .string(interface)])
    }

    /// `method` with its interface.
    package static func methodNotFound(_ method: String) -> VarlinkError {
        VarlinkError("org.varlink.service.MethodNotFound", ["method": .string(method)])
    }

    /// `parameter` is the path of the wrong one: `descriptor.name`.
    package static func invalidParameter(_ parameter: String) -> VarlinkError {
        VarlinkError("org.varlink.service.InvalidParameter", ["parameter": .string(parameter)])
    }

    /// The method has more than one reply, and the call did not accept that.
    package static let expectedMore = VarlinkError("org.varlink.service.ExpectedMore")
}

/// A message that breaks the protocol; its connection is of no further use.
package struct VarlinkProtocolError: Error, Equatable, CustomStringConvertible {
    /// The wrong key of the message, or `message` for the whole of it.
    package let key: String
    package let description: String

    init(key: String = "message", _ description: String) {
        self.key = key
        self.description = description
    }

    fileprivate static func wrong(_ key: String, _ reason: String) -> VarlinkProtocolError {
        // This is logged: no more of a peer's text than is needed to recognise the key.
        VarlinkProtocolError(key: key, "a message whose \"\(key.prefix(64))\" is \(reason)")
    }
}

/// A call, checked.
package struct CallMessage: Equatable, Sendable {
    /// With its interface: `org.varlink.service.GetInfo`.
    package let method: String
    package let parameters: JSONObject
    package let isMore: Bool
    package let isOneway: Bool

    private static let keys = ["method", "parameters", "more", "oneway", "upgrade"]

    package init(_ message: JSON) throws(VarlinkProtocolError) {
        let header = try JSONObject(message, known: Self.keys)
        guard case .string(let method) = header["method"] else {
            throw .wrong("method", "not a string")
        }
        self.method = method
        parameters = try header.object("parameters")
        isMore = try header.bool("more")
        isOneway = try header.bool("oneway")
        if try header.bool("upgrade") { throw .wrong("upgrade", "not supported") }
        if isMore, isOneway { throw .wrong("more", "not possible together with \"oneway\"") }
    }
}

/// A reply, checked.
package struct ReplyMessage: Equatable, Sendable {
    package let result: Result<JSONObject, VarlinkError>
    package let continues: Bool

    private static let keys = ["parameters", "continues", "error"]

    package init(_ message: JSON) throws(VarlinkProtocolError) {
        let header = try JSONObject(message, known: Self.keys)
        let parameters = try header.object("parameters")
        continues = try header.bool("continues")
        switch header["error"] {
        case nil, .null?: result = .success(parameters)
        case .string(let name)?:
            if continues { throw .wrong("continues", "not possible together with \"error\"") }
            result = .failure(VarlinkError(name, parameters))
        case .bool?, .int?, .double?, .array?, .object?: throw .wrong("error", "not a string")
        }
    }
}

extension JSONObject {
    /// The outermost object of a message. Refuses unknown keys, except those of extensions, which have a dot
    /// in them (<https://varlink.org/Method-Call>).
    fileprivate init(_ message: JSON, known: [String]) throws(VarlinkProtocolError) {
        guard let object = message.object else {
            throw VarlinkProtocolError("a message that is not an object")
        }
        self = object
        for member in members
        where !known.contains(where: { $0.hasSameBytes(as: member.key) })
            && !member.key.utf8.contains(UInt8(ascii: "."))
        {
            throw .wrong(member.key, "unknown")
        }
    }

    fileprivate func bool(_ key: String) throws(VarlinkProtocolError) -> Bool {
        switch self[key] {
        case nil, .null?: return false
        case .bool(let value)?: return value
        case .int?, .double?, .string?, .array?, .object?: throw .wrong(key, "not a boolean")
        }
    }

    fileprivate func object(_ key: String) throws(VarlinkProtocolError) -> JSONObject {
        switch self[key] {
        case nil, .null?: return [:]
        case .object(let value)?: return value
        case .bool?, .int?, .double?, .string?, .array?: throw .wrong(key, "not an object")
        }
    }
}
