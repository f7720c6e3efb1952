/// Writes the members of an object, the innermost of `depth` containers.
struct ObjectEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let text: EncodedText
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    /// Begins a member.
    private func member(_ key: String) -> ValueEncoder {
        text.begin(key, at: depth)
        return ValueEncoder(text: text, depth: depth)
    }

    func encodeNil(forKey key: Key) { member(key.stringValue).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { member(key.stringValue).encode(value) }
    func encode(_ value: String, forKey key: Key) { member(key.stringValue).encode(value) }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value, forKey key: Key) {
        member(key.stringValue).encode(value)
    }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try member(key.stringValue).encode(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        member(key.stringValue).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { member("super") }
    func superEncoder(forKey key: Key) -> any Encoder { member(key.stringValue) }
}

/// Writes the elements of an array, the innermost of `depth` containers.
struct ArrayEncodingContainer: UnkeyedEncodingContainer {
    let text: EncodedText
    let depth: Int
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    /// Begins an element.
    private mutating func element() -> ValueEncoder {
        text.beginElement(at: depth)
        count += 1
        return ValueEncoder(text: text, depth: depth)
    }

    mutating func encodeNil() { element().encodeNil() }
    mutating func encode(_ value: Bool) { element().encode(value) }
    mutating func encode(_ value: String) { element().encode(value) }
    mutating func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) { element().encode(value) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try element().encode(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        element().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { element() }
}
