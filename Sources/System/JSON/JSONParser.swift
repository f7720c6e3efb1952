/// Text that is not JSON, or exceeds a limit.
package struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
    package enum Problem: String, Sendable {
        case controlCharacter = "a control character in a string"
        case duplicateKey = "a key that is there twice"
        case invalidEscape = "an invalid escape sequence"
        case invalidUTF8 = "bytes that are not UTF-8"
        case loneSurrogate = "half of a surrogate pair"
        case numberOutOfRange = "a number out of range"
        case tooDeep = "arrays or objects nested too deeply"
        case tooManyMarks = "more than 30 combining marks in a row"
        case tooManyValues = "too many values"
        case trailingBytes = "something after the value"
        case unexpectedByte = "an unexpected character"
        case unexpectedEnd = "the end in the middle of a value"
    }

    package let problem: Problem
    /// The number of bytes before the problem.
    package let offset: Int

    package var description: String { "\(problem.rawValue) at byte \(offset)" }
}

extension JSON {
    /// Parses one value strictly by RFC 8259. In addition, keys must be unique in their object.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 without a byte order mark; white space around the value is allowed.
    ///   - depthLimit: The depth to which arrays and objects may be nested.
    ///   - valueLimit: The number of values, arrays and objects included: each needs many times the memory of
    ///     the two bytes that it may have been.
    ///   - markLimit: The number of combining marks in a row, by default that of the Stream-Safe Text Format
    ///     (UAX #15 section 13).
    /// - Throws: The first error in the text.
    package init(
        parsing bytes: Span<UInt8>,
        depthLimit: Int = 32,
        valueLimit: Int = 10_000,
        markLimit: Int = 30
    ) throws(JSONSyntaxError) {
        var parser = JSONParser(depthLimit: depthLimit, valuesLeft: valueLimit, markLimit: markLimit)
        self = try parser.document(bytes)
    }

    /// The same for a string.
    package init(
        parsing text: String,
        depthLimit: Int = 32,
        valueLimit: Int = 10_000
    ) throws(JSONSyntaxError) {
        try self.init(parsing: Array(text.utf8).span, depthLimit: depthLimit, valueLimit: valueLimit)
    }
}

/// A recursive descent parser; the depth limit bounds the recursion.
struct JSONParser {
    let depthLimit: Int
    /// The number of values that may still follow.
    var valuesLeft: Int
    /// The number of combining marks in a row that a string may have.
    let markLimit: Int
    var offset = 0

    /// With this many members or more, duplicates are found with a set, so that a hostile object does not
    /// cost quadratic time.
    private static let linearSearchLimit = 16
    /// In bytes. No sensible number is longer, and the time to convert digits is not linear.
    private static let numberLengthLimit = 512

    mutating func document(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> JSON {
        let value = try value(bytes, depth: 0)
        skipWhiteSpace(bytes)
        guard offset == bytes.count else { throw error(.trailingBytes) }
        return value
    }

    func error(_ problem: JSONSyntaxError.Problem) -> JSONSyntaxError {
        JSONSyntaxError(problem: problem, offset: offset)
    }

    private mutating func skipWhiteSpace(_ bytes: Span<UInt8>) {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }

    /// The next byte that is not white space; it is not consumed.
    private mutating func peek(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> UInt8 {
        skipWhiteSpace(bytes)
        guard offset < bytes.count else { throw error(.unexpectedEnd) }
        return bytes[offset]
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONSyntaxError) -> JSON {
        let first = try peek(bytes)
        guard valuesLeft > 0 else { throw error(.tooManyValues) }
        valuesLeft -= 1
        switch first {
        case UInt8(ascii: "{"): return .object(try object(bytes, depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(bytes, depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string(bytes))
        case UInt8(ascii: "t"): return try literal("true", is: .bool(true), in: bytes)
        case UInt8(ascii: "f"): return try literal("false", is: .bool(false), in: bytes)
        case UInt8(ascii: "n"): return try literal("null", is: .null, in: bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(bytes)
        default: throw error(.unexpectedByte)
        }
    }

    private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(JSONSyntaxError) -> JSONObject {
        guard depth <= depthLimit else { throw error(.tooDeep) }
        offset += 1
        var object = JSONObject()
        var keys = Set<[UInt8]>()
        if try peek(bytes) == UInt8(ascii: "}") {
            offset += 1
            return object
        }
        while true {
            guard try peek(bytes) == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
            let start = offset
            let key = try string(bytes)
            guard isNew(key, in: object, &keys) else {
                throw JSONSyntaxError(problem: .duplicateKey, offset: start)
            }
            guard try peek(bytes) == UInt8(ascii: ":") else { throw error(.unexpectedByte) }
            offset += 1
            object.append(key, try value(bytes, depth: depth))
            if try isLast(closing: UInt8(ascii: "}"), bytes) { return object }
        }
    }

    private func isNew(_ key: String, in object: JSONObject, _ keys: inout Set<[UInt8]>) -> Bool {
        let count = object.members.count
        guard count >= Self.linearSearchLimit else { return object.index(of: key, from: 0) == nil }
        if count == Self.linearSearchLimit { keys = Set(object.members.map { Array($0.key.utf8) }) }
        return keys.insert(Array(key.utf8)).inserted
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONSyntaxError) -> [JSON] {
        guard depth <= depthLimit else { throw error(.tooDeep) }
        offset += 1
        var elements: [JSON] = []
        if try peek(bytes) == UInt8(ascii: "]") {
            offset += 1
            return elements
        }
        while true {
            elements.append(try value(bytes, depth: depth))
            if try isLast(closing: UInt8(ascii: "]"), bytes) { return elements }
        }
    }

    /// Consumes the comma or the closing bracket after an element.
    private mutating func isLast(closing: UInt8, _ bytes: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        let byte = try peek(bytes)
        guard byte == closing || byte == UInt8(ascii: ",") else { throw error(.unexpectedByte) }
        offset += 1
        return byte == closing
    }

    private mutating func literal(
        _ text: StaticString,
        is value: JSON,
        in bytes: Span<UInt8>
    ) throws(JSONSyntaxError) -> JSON {
        for index in 0..<text.utf8CodeUnitCount {
            guard offset < bytes.count else { throw error(.unexpectedEnd) }
            guard bytes[offset] == text.utf8Start[index] else { throw error(.unexpectedByte) }
            offset += 1
        }
        return value
    }
}

// MARK: Numbers

extension JSONParser {
    private mutating func number(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> JSON {
        let start = offset
        let isNegative = skip(UInt8(ascii: "-"), bytes)
        let firstDigit = offset
        // Nil if the number is no integer that fits.
        var magnitude = try digits(bytes)
        if bytes[firstDigit] == UInt8(ascii: "0"), offset > firstDigit + 1 {
            throw JSONSyntaxError(problem: .unexpectedByte, offset: firstDigit + 1)
        }
        if skip(UInt8(ascii: "."), bytes) {
            magnitude = nil
            _ = try digits(bytes)
        }
        if skip(UInt8(ascii: "e"), bytes) || skip(UInt8(ascii: "E"), bytes) {
            magnitude = nil
            _ = skip(UInt8(ascii: "+"), bytes) || skip(UInt8(ascii: "-"), bytes)
            _ = try digits(bytes)
        }
        if let magnitude, isNegative, magnitude <= Int64.min.magnitude {
            return .int(Int64(truncatingIfNeeded: 0 &- magnitude))
        }
        if let magnitude, !isNegative, magnitude <= Int64.max.magnitude { return .int(Int64(magnitude)) }
        return .double(try double(bytes, from: start))
    }

    private mutating func skip(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    /// Consumes one digit or more.
    ///
    /// - Returns: Their value, if it fits.
    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> UInt64? {
        let start = offset
        var magnitude: UInt64 = 0
        var fits = true
        while offset < bytes.count, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit < 10 {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            if overflow || carry { fits = false }
            magnitude = sum
            offset += 1
        }
        guard offset > start else {
            throw error(offset < bytes.count ? .unexpectedByte : .unexpectedEnd)
        }
        return fits ? magnitude : nil
    }

    private func double(_ bytes: Span<UInt8>, from start: Int) throws(JSONSyntaxError) -> Double {
        let range = start..<offset
        guard range.count <= Self.numberLengthLimit,
            let value = Double(try text(bytes, range)),
            value.isFinite
        else { throw JSONSyntaxError(problem: .numberOutOfRange, offset: start) }
        return value
    }
}
