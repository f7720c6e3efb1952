import PTTMessages

/// A decoder that replies to every request with some value, and notes what it was asked for: the members of a
/// message, and their types in the words of an interface file.
///
/// The members of a type stand where it is used, sorted, because the socket has no names of types:
/// `?(channels: int, rate: int)`. Only ``CoreEvent`` and ``VirtualMicrophone``, whose members depend on a
/// value, have their names. A role may always be missing: it is `talk` then.
final class MessageMembers: Decoder {
    private(set) var types: [String: String] = [:]
    /// Of an identifier, which has no members.
    private var single: String?
    private let values: [String: String]

    private init(reading values: [String: String] = [:]) {
        self.values = values
    }

    // The members of `values` are read as these texts.
    static func types(of message: (some Decodable).Type, reading values: [String: String] = [:]) throws
        -> [String: String]
    {
        let members = MessageMembers(reading: values)
        _ = try message.init(from: members)
        return members.types
    }

    static func text(_ types: [String: String]) -> String {
        "(" + types.map { "\($0): \($1)" }.sorted().joined(separator: ", ") + ")"
    }

    fileprivate static func read<Value: Decodable>(_: Value.Type, as text: String? = nil) throws
        -> (type: String, value: Value)
    {
        let (type, value): (String, Any?) =
            switch Value.self {
            // Every text may be the identifier of a channel.
            case is String.Type: ("string", text ?? ChannelID(randomBytes: (0, 0)).text)
            case is Bool.Type: ("bool", false)
            case is Int.Type: ("int", text.map { Int($0) } ?? 1)
            case is Double.Type: ("float", 1.0)
            case is VirtualMicrophone.Type: ("VirtualMicrophone", VirtualMicrophone.idle)
            case is Tagged<CoreEvent>.Type: ("Event", Tagged(CoreEvent.audioActivated))
            case let enumeration as any WireEnum.Type: enumeration.values(text)
            case let list as any List.Type: try list.empty()
            default: try readMembers(Value.self)
            }
        guard let value = value as? Value else { throw Unforeseen() }
        return (type, value)
    }

    private static func readMembers<Value: Decodable>(_: Value.Type) throws -> (String, Any?) {
        let members = MessageMembers(reading: ["rate": "8000"])
        let value = try Value(from: members)
        return (members.single ?? text(members.types), value)
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members(message: self))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(message: self) }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unforeseen() }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let message: MessageMembers
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_: Key) -> Bool { true }

        /// Asked about members that may be missing, before they are decoded.
        func decodeNil(forKey key: Key) -> Bool {
            message.types[key.stringValue] = "?"
            return false
        }

        func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
            let (type, value) = try read(Value.self, as: message.values[key.stringValue])
            message.types[key.stringValue, default: ""] += type
            return value
        }

        func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey: Key) throws
            -> KeyedDecodingContainer<Nested>
        {
            throw Unforeseen()
        }

        func nestedUnkeyedContainer(forKey: Key) throws -> any UnkeyedDecodingContainer { throw Unforeseen() }
        func superDecoder() throws -> any Decoder { throw Unforeseen() }
        func superDecoder(forKey: Key) throws -> any Decoder { throw Unforeseen() }
    }

    private struct Single: SingleValueDecodingContainer {
        let message: MessageMembers
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }

        func decode<Value: Decodable>(_: Value.Type) throws -> Value {
            let (type, value) = try read(Value.self)
            message.single = type
            return value
        }
    }
}

/// A message of this kind is not on the sockets.
private struct Unforeseen: Error {}

private protocol List {
    static func empty() throws -> (String, Any?)
}

extension Array: List where Element: Decodable {
    fileprivate static func empty() throws -> (String, Any?) {
        ("[]" + (try MessageMembers.read(Element.self).type), [] as Self)
    }
}

extension WireEnum {
    fileprivate static func values(_ text: String?) -> (String, Any?) {
        let values = "(" + allCases.map(\.rawValue).joined(separator: ", ") + ")"
        return (values, text.map(Self.init(rawValue:)) ?? unknown)
    }
}
