/// An enumeration on the sockets. Varlink has no unions: in its object are the name of the case, as `kind`,
/// and the values of the case by their labels.
///
/// Where the compiler writes `{"volumeChanged": {"volume": 80}}`, this is
/// `{"kind": "volumeChanged", "volume": 80}`. A kind that this version does not have is read as the case
/// `unknown(kind:)`.
package struct Tagged<Value: Codable>: Codable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package init(from decoder: any Decoder) throws {
        value = try Value(from: TaggedDecoder(fields: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        try value.encode(to: TaggedEncoder(fields: encoder))
    }
}

extension Tagged: Equatable where Value: Equatable {}
extension Tagged: Sendable where Value: Sendable {}

private enum Tag: String, CodingKey {
    case kind
}

/// The encoder for what the compiler's encoding of an enumeration asks for: one container, and in it one for
/// the values of the case.
private struct TaggedEncoder: Encoder {
    let fields: any Encoder
    var codingPath: [any CodingKey] { fields.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { fields.userInfo }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Cases(fields: fields))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { fields.unkeyedContainer() }
    func singleValueContainer() -> any SingleValueEncodingContainer { fields.singleValueContainer() }

    private struct Cases<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let fields: any Encoder
        var codingPath: [any CodingKey] { fields.codingPath }

        func nestedContainer<Label: CodingKey>(keyedBy: Label.Type, forKey key: Key)
            -> KeyedEncodingContainer<Label>
        {
            var tag = fields.container(keyedBy: Tag.self)
            // No encoder refuses a text.
            if key.stringValue != "unknown" { try? tag.encode(key.stringValue, forKey: .kind) }
            return fields.container(keyedBy: Label.self)
        }

        // Of other types than enumerations.
        func encodeNil(forKey: Key) throws { throw notAnEnumeration }
        func encode(_: some Encodable, forKey: Key) throws { throw notAnEnumeration }
        func nestedUnkeyedContainer(forKey: Key) -> any UnkeyedEncodingContainer { fields.unkeyedContainer() }
        func superEncoder() -> any Encoder { fields }
        func superEncoder(forKey: Key) -> any Encoder { fields }

        private var notAnEnumeration: EncodingError {
            .invalidValue(self, .init(codingPath: codingPath, debugDescription: "not an enumeration"))
        }
    }
}

private struct TaggedDecoder: Decoder {
    let fields: any Decoder
    var codingPath: [any CodingKey] { fields.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { fields.userInfo }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let kind = try fields.container(keyedBy: Tag.self).decode(String.self, forKey: .kind)
        let key = Key(stringValue: kind) ?? Key(stringValue: "unknown")
        return KeyedDecodingContainer(Cases(fields: fields, allKeys: key.map { [$0] } ?? []))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try fields.unkeyedContainer() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try fields.singleValueContainer()
    }

    private struct Cases<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let fields: any Decoder
        let allKeys: [Key]
        var codingPath: [any CodingKey] { fields.codingPath }

        func nestedContainer<Label: CodingKey>(keyedBy label: Label.Type, forKey: Key) throws
            -> KeyedDecodingContainer<Label>
        {
            try fields.container(keyedBy: label)
        }

        // Of other types than enumerations.
        func contains(_: Key) -> Bool { false }
        func decodeNil(forKey: Key) -> Bool { false }
        func decode<Field: Decodable>(_: Field.Type, forKey: Key) throws -> Field {
            throw DecodingError.typeMismatch(
                Field.self,
                .init(codingPath: codingPath, debugDescription: "not an enumeration")
            )
        }
        func nestedUnkeyedContainer(forKey: Key) throws -> any UnkeyedDecodingContainer {
            try fields.unkeyedContainer()
        }
        func superDecoder() -> any Decoder { fields }
        func superDecoder(forKey: Key) -> any Decoder { fields }
    }
}
