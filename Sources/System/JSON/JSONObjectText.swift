/// The text of an object, written member by member: for frequent messages, for which building a value first would take
/// too long. Keys must be unique; that is not checked.
package struct JSONObjectText {
    private var bytes: [UInt8] = []

    /// The text of an object with the members that `write` adds, as UTF-8.
    package static func bytes(_ write: (inout JSONObjectText) -> Void) -> [UInt8] {
        var text = JSONObjectText()
        text.bytes.reserveCapacity(512)
        text.addObject(write)
        return text.bytes
    }

    /// - Parameters:
    ///   - key: Has only characters that need no escape.
    ///   - value: The value of the member.
    package mutating func add(_ key: StaticString, _ value: Int) {
        add(key)
        JSON.write(Int64(value), to: &bytes)
    }

    /// - Parameters:
    ///   - key: Has only characters that need no escape.
    ///   - value: The value of the member.
    package mutating func add(_ key: StaticString, _ value: String) {
        add(key)
        JSON.write(value, to: &bytes)
    }

    /// - Parameters:
    ///   - key: Has only characters that need no escape.
    ///   - value: The value of the member.
    package mutating func add(_ key: StaticString, _ value: Bool) {
        add(key)
        JSON.bool(value).write(to: &bytes)
    }

    /// - Parameters:
    ///   - key: Has only characters that need no escape.
    ///   - write: Adds the members of the object that is the value.
    package mutating func add(_ key: StaticString, _ write: (inout JSONObjectText) -> Void) {
        add(key)
        addObject(write)
    }

    private mutating func addObject(_ write: (inout JSONObjectText) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        write(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func add(_ key: StaticString) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }
}
