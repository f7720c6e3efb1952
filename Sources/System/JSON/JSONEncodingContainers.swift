/// Writes the members of an object into its node.
struct ObjectEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { node.set(key.stringValue, .null) }
    func encode(_ value: Bool, forKey key: Key) { node.set(key.stringValue, .bool(value)) }
    func encode(_ value: String, forKey key: Key) { node.set(key.stringValue, .string(value)) }
    func encode(_ value: Double, forKey key: Key) throws { node.set(key.stringValue, try .finite(value)) }
    func encode(_ value: Float, forKey key: Key) throws {
        node.set(key.stringValue, try .finite(Double(value)))
    }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value, forKey key: Key) throws {
        node.set(key.stringValue, try .exact(value))
    }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        node.set(key.stringValue, try EncodingNode.json(of: value))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        node.nested(at: key.stringValue).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        node.nested(at: key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { node.nested(at: "super") }
    func superEncoder(forKey key: Key) -> any Encoder { node.nested(at: key.stringValue) }
}

/// Writes the elements of an array into its node.
struct ArrayEncodingContainer: UnkeyedEncodingContainer {
    let node: EncodingNode
    var codingPath: [any CodingKey] { [] }
    var count: Int { node.elementCount }

    func encodeNil() { node.append(.null) }
    func encode(_ value: Bool) { node.append(.bool(value)) }
    func encode(_ value: String) { node.append(.string(value)) }
    func encode(_ value: Double) throws { node.append(try .finite(value)) }
    func encode(_ value: Float) throws { node.append(try .finite(Double(value))) }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) throws {
        node.append(try .exact(value))
    }
    func encode<Value: Encodable>(_ value: Value) throws { node.append(try EncodingNode.json(of: value)) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        node.nestedElement().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        node.nestedElement().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { node.nestedElement() }
}
