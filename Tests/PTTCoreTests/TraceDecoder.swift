import PTTCore
import PTTMessages
import TestSupport

extension TalkSession.Event {
    /// Nil if the line, which has no time, does not begin with the name of an event.
    ///
    /// - Throws: ``TraceWords/Failure`` for an event that is not complete, or has a word that is not known.
    init?(trace: some StringProtocol) throws {
        let part = TracePart(try TraceText.words(of: trace))
        let count = part.words.count
        do {
            self = try TalkSession.Event(from: TraceDecoder(part: part))
            try part.checkEnd()
        } catch {
            if part.words.count == count { return nil }
            throw TraceWords.Failure("\(error) in: \(trace)")
        }
    }
}

/// Reads what `TraceEncoder` writes. A push token is read as its first four characters, and a payload as
/// spaces.
struct TraceDecoder: Decoder {
    let part: TracePart
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members<Key>(part: part))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(part: part) }
    func singleValueContainer() -> any SingleValueDecodingContainer { SingleValue(part: part) }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let part: TracePart
        var codingPath: [any CodingKey] { [] }
        /// Of an enumeration: the name of its case.
        var allKeys: [Key] { part.name.flatMap { Key(stringValue: $0) }.map { [$0] } ?? [] }

        func contains(_ key: Key) -> Bool {
            key.isUnnamed ? !part.words.isEmpty : part.name == key.stringValue
        }
        func decodeNil(forKey key: Key) -> Bool { !contains(key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            guard !key.isUnnamed else { return try part.spread(type) }
            try part.skip(key.stringValue)
            if key.stringValue == "payload" {
                return try part.next(type) { Int($0).map { String(repeating: " ", count: $0) } as? Value }
            }
            return try part.next(type)
        }

        /// The associated values of an enumeration's case.
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
            -> KeyedDecodingContainer<Nested>
        {
            try part.skip(key.stringValue)
            return KeyedDecodingContainer(Members<Nested>(part: part))
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw TraceWords.Failure("a container without names stands in one")
        }

        func superDecoder() -> any Decoder { TraceDecoder(part: part) }
        func superDecoder(forKey key: Key) -> any Decoder { TraceDecoder(part: part) }
    }

    private struct Elements: UnkeyedDecodingContainer {
        let part: TracePart
        private(set) var currentIndex = 0
        var codingPath: [any CodingKey] { [] }
        var count: Int? { nil }
        var isAtEnd: Bool { part.words.isEmpty }

        init(part: TracePart) {
            self.part = part
        }

        func decodeNil() -> Bool { false }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            currentIndex += 1
            return try part.next(type)
        }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
            KeyedDecodingContainer(Members<Nested>(part: part))
        }

        func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
        func superDecoder() -> any Decoder { TraceDecoder(part: part) }
    }

    private struct SingleValue: SingleValueDecodingContainer {
        let part: TracePart
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try part.next(type) }
    }
}

extension CodingKey {
    fileprivate var isUnnamed: Bool { stringValue.hasPrefix("_") }
}
