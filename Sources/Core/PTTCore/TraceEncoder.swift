import PTTMessages

/// Writes a value as the words of a trace line: a case of an enumeration by its name and what it carries, a
/// structure by the names of its members and their values, in the order of their declarations. Members that
/// are nil are left out.
///
/// `begin source handsfreeButton origin (kind bluetoothButton identifier "A4:C1:38:00:00:01" name "PTT-Z01")`
///
/// Structures within a line are in parentheses. Only names of our own enumerations, numbers and identifiers
/// of channels are written without quotation marks, so that no text from outside can forge a word or a line.
/// Payloads are private to an application and its server, and a push token is a bearer token: a payload is
/// written as its length in bytes, a push token as its first four characters.
final class TraceEncoder: Encoder, SingleValueEncodingContainer {
    private var words: [String] = []
    /// True if the words need parentheses within a line.
    private var isCompound = false

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func text(_ value: some Encodable) -> String {
        let encoder = TraceEncoder()
        encoder.encode(value)
        return encoder.words.joined(separator: " ")
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        isCompound = true
        return KeyedEncodingContainer(Members<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        isCompound = true
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Appends a value with its name. The compiler names unlabelled associated values `_0`, `_1` and so on;
    /// they are written without a name and without parentheses.
    private func append(_ value: some Encodable, named name: String) {
        if name.hasPrefix("_") { return encode(value) }
        words.append(name)
        if name == "payload", let text = value as? String { return words.append("\(text.utf8.count)") }
        appendElement(value)
    }

    private func appendElement(_ value: some Encodable) {
        let part = TraceEncoder()
        part.encode(value)
        words.append(part.isCompound ? "(\(part.words.joined(separator: " ")))" : part.words.joined())
    }

    func encodeNil() {}

    func encode(_ value: some Encodable) {
        switch value {
        case let word as any WireEnum: words.append(word.rawValue)
        case let channelID as ChannelID: words.append(channelID.text)
        case let token as PushToken: words.append(String(token.rawValue.prefix(4)).traced)
        case let text as String: words.append(text.traced)
        case is Int, is Bool: words.append("\(value)")
        default:
            // No type in a trace throws here; if one did, its line would be incomplete.
            try? value.encode(to: self)
        }
    }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: TraceEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {}

        func encode(_ value: some Encodable, forKey key: Key) {
            encoder.append(value, named: key.stringValue)
        }

        /// The case of an enumeration.
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
            -> KeyedEncodingContainer<Nested>
        {
            encoder.words.append(key.stringValue)
            return KeyedEncodingContainer(Members<Nested>(encoder: encoder))
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.words.append(key.stringValue)
            return Elements(encoder: encoder)
        }

        func superEncoder() -> any Encoder { encoder }
        func superEncoder(forKey key: Key) -> any Encoder { encoder }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let encoder: TraceEncoder
        private(set) var count = 0
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() {}

        mutating func encode(_ value: some Encodable) {
            encoder.appendElement(value)
            count += 1
        }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type)
            -> KeyedEncodingContainer<Nested>
        {
            KeyedEncodingContainer(Members<Nested>(encoder: encoder))
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
        mutating func superEncoder() -> any Encoder { encoder }
    }
}
