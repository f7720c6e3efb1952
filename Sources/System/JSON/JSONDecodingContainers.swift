/// Reads the members of an object.
struct ObjectDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: DecodingNode
    let object: JSONObject

    var codingPath: [any CodingKey] { node.codingPath }
    var allKeys: [Key] {
        node.readAsWhole()
        return object.members.compactMap { Key(stringValue: $0.key) }
    }

    func contains(_ key: Key) -> Bool { node.index(of: key.stringValue, in: object) != nil }

    private func value(_ key: Key) throws(JSONDecodingError) -> JSON {
        guard let index = node.index(of: key.stringValue, in: object) else {
            throw node.error("is missing", at: .key(key.stringValue))
        }
        return object.members[index].value
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard let index = node.index(of: key.stringValue, in: object) else { return true }
        if case .null = object.members[index].value { return true }
        return false
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try node.bool(try value(key), at: .key(key.stringValue))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try node.string(try value(key), at: .key(key.stringValue))
    }

    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try node.integer(try value(key), at: .key(key.stringValue))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try node.decode(type, try value(key), at: .key(key.stringValue))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try node.nested(try value(key), at: .key(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try node.nested(try value(key), at: .key(key.stringValue)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let value = object["super"] ?? .null
        return node.nested(value, at: .key("super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        node.nested(try value(key), at: .key(key.stringValue))
    }
}

/// Reads the elements of an array in order.
struct ArrayDecodingContainer: UnkeyedDecodingContainer {
    let node: DecodingNode
    let elements: [JSON]
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    /// Advances only if `read` succeeds, as the protocol requires.
    private mutating func next<Value>(
        _ read: (DecodingNode, JSON, JSON.Step) throws -> Value
    ) throws -> Value {
        let step = JSON.Step.index(currentIndex)
        guard !isAtEnd else { throw node.error("is missing", at: step) }
        let value = try read(node, elements[currentIndex], step)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.bool($1, at: $2) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.string($1, at: $2) } }
    mutating func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
        try next { try $0.integer($1, at: $2) }
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next { try $0.decode(type, $1, at: $2) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next { try $0.nested($1, at: $2).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.nested($1, at: $2).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try next { $0.nested($1, at: $2) }
    }
}
