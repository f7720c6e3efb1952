/// A value that JSON cannot represent.
package struct JSONEncodingError: Error, CustomStringConvertible {
    /// The value and the reason.
    package let description: String
}

extension JSON {
    /// Encodes a value. Optionals that are nil are left out.
    ///
    /// - Throws: For a number that is not finite or beyond 64 bits with sign, and whatever `value` itself throws.
    package init(encoding value: some Encodable) throws(JSONEncodingError) {
        let node = EncodingNode()
        do {
            try value.encode(to: node)
        } catch {
            throw JSONEncodingError(
                description: "could not encode \(type(of: value)) as JSON: \(explanation(error))"
            )
        }
        self = node.finished()
    }
}

extension JSONObject {
    /// Encodes a value as an object.
    ///
    /// - Throws: As ``JSON/init(encoding:)``, and for a value that is not encoded as an object.
    package init(encoding value: some Encodable) throws(JSONEncodingError) {
        switch try JSON(encoding: value) {
        case .object(let object): self = object
        case let other:
            throw JSONEncodingError(description: "\(type(of: value)) becomes \(other.kind), not an object")
        }
    }
}

extension JSONObject {
    /// The object of a message of this program's own types: structures of strings, booleans, integers that fit in 64
    /// bits, and arrays of these. Traps on a value that JSON cannot represent.
    package static func encoding(_ message: some Encodable) -> JSONObject {
        do throws(JSONEncodingError) {
            return try JSONObject(encoding: message)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

private func explanation(_ error: any Error) -> String {
    guard case EncodingError.invalidValue(_, let context) = error else { return "\(error)" }
    return context.debugDescription
}

/// A value while it is encoded: the `Encoder`, and the storage of its containers.
///
/// Nested containers (`nestedContainer`, `superEncoder`) are nodes of their own, whose values are inserted at the end.
final class EncodingNode: Encoder, SingleValueEncodingContainer {
    private enum Content {
        case nothing
        case single(JSON)
        case array([JSON], nested: [(Int, EncodingNode)])
        case object(JSONObject, nested: [(String, EncodingNode)])
    }

    private var content = Content.nothing

    /// Not tracked: an encoding error is an error of the program, and its text has the type.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = content {} else { content = .object(JSONObject(), nested: []) }
        return KeyedEncodingContainer(ObjectEncodingContainer<Key>(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = content {} else { content = .array([], nested: []) }
        return ArrayEncodingContainer(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// The encoded value; an empty object if nothing was encoded, as for a structure without members.
    func finished() -> JSON {
        switch content {
        case .nothing: return .object(JSONObject())
        case .single(let value): return value
        case .array(var elements, let nested):
            for (index, node) in nested { elements[index] = node.finished() }
            return .array(elements)
        case .object(var object, let nested):
            for (key, node) in nested { object[key] = node.finished() }
            return .object(object)
        }
    }

    static func json<Value: Encodable>(of value: Value) throws -> JSON {
        let node = EncodingNode()
        try value.encode(to: node)
        return node.finished()
    }

    // The content is moved out while it changes, so that its storage is not shared and not copied.

    func set(_ key: String, _ value: JSON) {
        guard case .object(var object, let nested) = content else { return }
        content = .nothing
        object[key] = value
        content = .object(object, nested: nested)
    }

    func append(_ value: JSON) {
        guard case .array(var elements, let nested) = content else { return }
        content = .nothing
        elements.append(value)
        content = .array(elements, nested: nested)
    }

    func nested(at key: String) -> EncodingNode {
        let node = EncodingNode()
        set(key, .null)
        guard case .object(let object, let nested) = content else { return node }
        content = .object(object, nested: nested + [(key, node)])
        return node
    }

    func nestedElement() -> EncodingNode {
        let node = EncodingNode()
        append(.null)
        guard case .array(let elements, let nested) = content else { return node }
        content = .array(elements, nested: nested + [(elements.count - 1, node)])
        return node
    }

    var elementCount: Int {
        if case .array(let elements, _) = content { elements.count } else { 0 }
    }

    // MARK: SingleValueEncodingContainer

    func encodeNil() { content = .single(.null) }
    func encode(_ value: Bool) { content = .single(.bool(value)) }
    func encode(_ value: String) { content = .single(.string(value)) }
    func encode(_ value: Double) throws { content = .single(try .finite(value)) }
    func encode(_ value: Float) throws { content = .single(try .finite(Double(value))) }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) throws {
        content = .single(try .exact(value))
    }
    func encode<Value: Encodable>(_ value: Value) throws { content = .single(try Self.json(of: value)) }
}

extension JSON {
    static func finite(_ value: Double) throws -> JSON {
        if value.isFinite { return .double(value) }
        throw EncodingError.invalidValue(
            value,
            EncodingError.Context(codingPath: [], debugDescription: "\(value) is not finite")
        )
    }

    static func exact(_ value: some BinaryInteger) throws -> JSON {
        // The usual type needs no generic conversion.
        if let value = value as? Int { return .int(Int64(value)) }
        if let value = Int64(exactly: value) { return .int(value) }
        throw EncodingError.invalidValue(
            value,
            EncodingError.Context(codingPath: [], debugDescription: "\(value) is beyond 64 bits with sign")
        )
    }
}
