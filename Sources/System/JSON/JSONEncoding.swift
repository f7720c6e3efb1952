/// The text of a JSON value, as short as possible.
package struct JSONText: Equatable, Sendable {
    /// UTF-8.
    package let bytes: [UInt8]

    package var isEmptyObject: Bool { bytes.count == 2 && bytes.first == UInt8(ascii: "{") }
}

extension JSONText {
    package init(_ object: JSONObject) {
        var bytes: [UInt8] = []
        object.write(to: &bytes)
        self.init(bytes: bytes)
    }

    /// The text of a message of this program's own types: structures of strings, booleans, integers that fit
    /// in 64 bits with sign, and arrays of these. Optionals that are nil are left out. Traps on a value that
    /// JSON cannot represent.
    package static func encoding(_ message: some Encodable) -> JSONText {
        let text = EncodedText()
        do {
            try text.append(message)
        } catch {
            preconditionFailure("could not encode \(type(of: message)) as JSON: \(error)")
        }
        return JSONText(bytes: text.bytes)
    }
}

extension JSONText: ExpressibleByDictionaryLiteral {
    /// Traps on a duplicate key.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(JSONObject(uniqueMembers: elements))
    }
}

extension JSON {
    /// The value that ``JSONText/encoding(_:)`` writes.
    package static func encoding(_ message: some Encodable) -> JSON {
        let bytes = JSONText.encoding(message).bytes
        do throws(JSONSyntaxError) {
            // No limits: the text is our own.
            let limit = Int.max
            return try JSON(parsing: bytes.span, depthLimit: limit, valueLimit: limit, markLimit: limit)
        } catch {
            preconditionFailure("The encoder wrote \(error)")
        }
    }
}

extension JSONObject {
    /// As ``JSONText/encoding(_:)``, for a structure.
    package static func encoding(_ message: some Encodable) -> JSONObject {
        guard let object = JSON.encoding(message).object else {
            preconditionFailure("\(type(of: message)) is not encoded as an object")
        }
        return object
    }
}

/// The text of a value while it is encoded.
///
/// The latest value is the end of the text: a nested container must be complete before the one around it
/// goes on.
final class EncodedText {
    // Checking for exclusive access takes a fifth of the time, and no function of this class calls another
    // while it changes these.
    @exclusivity(unchecked)
    private(set) var bytes: [UInt8] = []
    /// The number of arrays and objects that are open.
    @exclusivity(unchecked)
    private var depth = 0
    /// A bit for each of them, the innermost lowest: set for an array.
    @exclusivity(unchecked)
    private var arrays: UInt64 = 0

    init() { bytes.reserveCapacity(512) }

    /// Appends a whole value; an empty object if it encodes nothing, as a structure without members.
    func append(_ value: some Encodable) throws {
        let (start, depth) = (bytes.count, depth)
        try value.encode(to: ValueEncoder(text: self, depth: depth))
        if self.depth > depth { close(to: depth) }
        if bytes.count == start { bytes.append(contentsOf: "{}".utf8) }
    }

    func append(_ value: JSON) { value.write(to: &bytes) }
    func append(_ value: Int64) { JSON.write(value, to: &bytes) }
    func append(_ value: String) { JSON.write(value, to: &bytes) }
    func append(_ value: Bool) { append(JSON.bool(value)) }

    func append(_ value: Double) {
        precondition(value.isFinite, "\(value) is not finite")
        append(JSON.double(value))
    }

    @inline(__always)
    func append<Value: FixedWidthInteger>(integer value: Value) {
        guard let value = Int64(exactly: value) else {
            preconditionFailure("\(value) is beyond 64 bits with sign")
        }
        append(value)
    }

    /// Begins the next member of the object that is the innermost of `depth` containers.
    func begin(_ key: String, at depth: Int) {
        beginElement(at: depth, after: UInt8(ascii: "{"))
        append(key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Begins the next element of the array that is the innermost of `depth` containers.
    func beginElement(at depth: Int) { beginElement(at: depth, after: UInt8(ascii: "[")) }

    @inline(__always)
    private func beginElement(at depth: Int, after opening: UInt8) {
        if self.depth > depth { close(to: depth) }
        precondition(self.depth == depth, "A container was used after the one around it went on")
        if bytes.last != opening { bytes.append(UInt8(ascii: ",")) }
    }

    /// Opens an array or an object as the value inside `depth` containers. A second one for the same value
    /// goes on with the first.
    func open(isArray: Bool, at depth: Int) {
        if self.depth > depth { return close(to: depth + 1) }
        precondition(depth < UInt64.bitWidth, "A message has no more than 64 levels")
        self.depth += 1
        arrays = arrays << 1 | (isArray ? 1 : 0)
        bytes.append(isArray ? UInt8(ascii: "[") : UInt8(ascii: "{"))
    }

    private func close(to depth: Int) {
        while self.depth > depth {
            bytes.append(arrays & 1 == 1 ? UInt8(ascii: "]") : UInt8(ascii: "}"))
            arrays >>= 1
            self.depth -= 1
        }
    }
}

/// Encodes one value, into which `depth` arrays and objects are open.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let text: EncodedText
    let depth: Int

    /// Not tracked: an encoding error is an error of the program.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        text.open(isArray: false, at: depth)
        return KeyedEncodingContainer(ObjectEncodingContainer<Key>(text: text, depth: depth + 1))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        text.open(isArray: true, at: depth)
        return ArrayEncodingContainer(text: text, depth: depth + 1)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { text.append(JSON.null) }
    func encode(_ value: Bool) { text.append(value) }
    func encode(_ value: String) { text.append(value) }
    func encode(_ value: Double) { text.append(value) }
    func encode(_ value: Float) { text.append(Double(value)) }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) { text.append(integer: value) }
    func encode<Value: Encodable>(_ value: Value) throws { try text.append(value) }
}
