/// A JSON value that does not have the requested type.
package struct JSONDecodingError: Error, Equatable, CustomStringConvertible {
    /// The place; empty for the whole value.
    package let steps: [JSON.Step]
    /// The mistake there, to follow the place: "is missing".
    package let problem: String

    package var description: String { "\(path.isEmpty ? "the value" : path) \(problem)" }

    /// The place as text: `descriptor.name` or `buttons[2].path`.
    package var path: String {
        steps.reduce("") { path, step in
            switch step {
            case .key(let key): path.isEmpty ? key : "\(path).\(key)"
            case .index(let index): "\(path)[\(index)]"
            }
        }
    }
}

extension JSON {
    /// The step from an object or an array to one of its values.
    package enum Step: CodingKey, Equatable, ExpressibleByStringLiteral {
        case key(String)
        case index(Int)

        package init(stringLiteral key: String) { self = .key(key) }
        package init(stringValue: String) { self = .key(stringValue) }
        package init(intValue: Int) { self = .index(intValue) }

        package var stringValue: String {
            switch self {
            case .key(let key): key
            case .index(let index): "\(index)"
            }
        }

        package var intValue: Int? {
            if case .index(let index) = self { index } else { nil }
        }
    }

    /// The treatment of a key that the type has not asked for.
    package enum UnknownKeys: Sendable {
        /// For formats that this program defines, its configuration for example: a typing error is an error.
        case refused
        /// For formats that others define and may extend: replies and events.
        case ignored
    }

    /// Makes a value of `type`. For an optional member, `null` and a missing key are the same.
    package func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        unknownKeys: UnknownKeys = .refused
    ) throws(JSONDecodingError) -> Value {
        do {
            return try DecodingNode(self, at: nil, in: nil, unknownKeys: unknownKeys).decoded()
        } catch {
            throw JSONDecodingError(error)
        }
    }
}

extension JSONObject {
    /// As ``JSON/decode(_:unknownKeys:)``.
    package func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        unknownKeys: JSON.UnknownKeys = .refused
    ) throws(JSONDecodingError) -> Value {
        try JSON.object(self).decode(type, unknownKeys: unknownKeys)
    }
}

extension JSONDecodingError {
    /// Our own containers throw this type; decoded types throw `DecodingError`.
    fileprivate init(_ error: any Error) {
        switch error {
        case let error as JSONDecodingError: self = error
        case DecodingError.keyNotFound(let key, let context):
            self.init(context.codingPath + [key], "is missing")
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            self.init(context.codingPath, "is not valid: \(context.debugDescription)")
        default: self.init([], "is not valid: \(error)")
        }
    }

    fileprivate init(_ path: [any CodingKey], _ problem: String) {
        steps = path.map { key in key.intValue.map(JSON.Step.index) ?? .key(key.stringValue) }
        self.problem = problem
    }
}

/// A value while it is decoded: the `Decoder`, and the state of its containers.
final class DecodingNode: Decoder {
    let value: JSON
    /// The step from the parent; nil for the whole value.
    private let step: JSON.Step?
    private let parent: DecodingNode?
    private let unknownKeys: JSON.UnknownKeys
    /// A bit for each member of an object that was asked for, by its index. No type has more than 64 keys.
    private var known: UInt64 = 0
    private var nested: [DecodingNode] = []
    private var isReadAsWhole = false
    /// The index of the member that was found last, since members are mostly read in their order.
    private var lastFound = 0

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: JSON, at step: JSON.Step?, in parent: DecodingNode?, unknownKeys: JSON.UnknownKeys) {
        self.value = value
        self.step = step
        self.parent = parent
        self.unknownKeys = unknownKeys
    }

    /// Computed only on demand, which is for an error.
    var codingPath: [any CodingKey] {
        var path = parent?.codingPath ?? []
        if let step { path.append(step) }
        return path
    }

    /// A node for a container inside this value's container. Its keys are checked together with this one's.
    func nested(_ value: JSON, at step: JSON.Step) -> DecodingNode {
        let node = DecodingNode(value, at: step, in: self, unknownKeys: unknownKeys)
        nested.append(node)
        return node
    }

    func decoded<Value: Decodable>() throws -> Value {
        // Children refer to their parents; without this they would keep each other alive.
        defer { nested = [] }
        let result = try Value(from: self)
        try refuseUnknownKeys()
        return result
    }

    func decode<Value: Decodable>(_ type: Value.Type, _ value: JSON, at step: JSON.Step?) throws -> Value {
        try DecodingNode(value, at: step, in: self, unknownKeys: unknownKeys).decoded()
    }

    func index(of key: String, in object: JSONObject) -> Int? {
        guard let index = object.index(of: key, from: lastFound) else { return nil }
        lastFound = index
        known |= 1 << index
        return index
    }

    /// Every member is known, whatever its key.
    func readAsWhole() { isReadAsWhole = true }

    func refuseUnknownKeys() throws(JSONDecodingError) {
        guard case .refused = unknownKeys else { return }
        for node in nested { try node.refuseUnknownKeys() }
        guard !isReadAsWhole, case .object(let object) = value else { return }
        for (index, member) in object.members.enumerated() where known & 1 << index == 0 {
            throw error("is not known", at: .key(member.key))
        }
    }

    func error(_ problem: String, at step: JSON.Step? = nil) -> JSONDecodingError {
        var path = codingPath
        if let step { path.append(step) }
        return JSONDecodingError(path, problem)
    }

    func mismatch(_ expected: String, _ found: JSON, at step: JSON.Step? = nil) -> JSONDecodingError {
        error("should be \(expected) but is \(found.kind)", at: step)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch("an object", value) }
        return KeyedDecodingContainer(ObjectDecodingContainer<Key>(node: self, object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch("an array", value) }
        return ArrayDecodingContainer(node: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        isReadAsWhole = true
        return self
    }
}

extension DecodingNode: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try bool(value) }
    func decode(_ type: String.Type) throws -> String { try string(value) }
    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .double(let double): return double
        case .int(let int): return Double(int)
        case .null, .bool, .string, .array, .object: throw mismatch("a number", value)
        }
    }
    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
        try integer(value)
    }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decode(type, value, at: nil)
    }

    // The usual scalars, for all three kinds of containers.

    func bool(_ value: JSON, at step: JSON.Step? = nil) throws(JSONDecodingError) -> Bool {
        guard case .bool(let bool) = value else { throw mismatch("a boolean", value, at: step) }
        return bool
    }

    func string(_ value: JSON, at step: JSON.Step? = nil) throws(JSONDecodingError) -> String {
        guard case .string(let string) = value else { throw mismatch("a string", value, at: step) }
        return string
    }

    func integer<Value: FixedWidthInteger>(
        _ value: JSON,
        at step: JSON.Step? = nil
    ) throws(JSONDecodingError) -> Value {
        guard case .int(let int) = value else { throw mismatch("an integer", value, at: step) }
        guard let exact = Value(exactly: int) else {
            throw error("is not valid: \(int) is not between \(Value.min) and \(Value.max)", at: step)
        }
        return exact
    }
}
