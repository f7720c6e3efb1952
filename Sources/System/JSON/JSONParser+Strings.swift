extension JSONParser {
    mutating func string(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> String {
        offset += 1
        let start = offset
        // With escapes, what precedes `plain`: the pieces are joined before they become text.
        var joined: [UInt8] = []
        var plain = start
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                // Validated in place, so that an error has the right offset.
                var string = try text(bytes, start..<offset)
                if plain > start {
                    append(bytes, plain..<offset, to: &joined)
                    string = String(decoding: joined, as: UTF8.self)
                }
                guard string.hasMarks(atMost: markLimit) else {
                    throw JSONSyntaxError(problem: .tooManyMarks, offset: start)
                }
                offset += 1
                return string
            case UInt8(ascii: "\\"):
                append(bytes, plain..<offset, to: &joined)
                try escape(bytes, into: &joined)
                plain = offset
            case 0..<0x20: throw error(.controlCharacter)
            default: offset += 1
            }
        }
        throw error(.unexpectedEnd)
    }

    private func append(_ bytes: Span<UInt8>, _ range: Range<Int>, to copy: inout [UInt8]) {
        for index in range { copy.append(bytes[index]) }
    }

    func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONSyntaxError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            let place = range.lowerBound + error.byteOffsets.lowerBound
            throw JSONSyntaxError(problem: .invalidUTF8, offset: place)
        }
    }

    private mutating func escape(
        _ bytes: Span<UInt8>,
        into copy: inout [UInt8]
    ) throws(JSONSyntaxError) {
        guard offset + 1 < bytes.count else { throw error(.unexpectedEnd) }
        switch bytes[offset + 1] {
        case UInt8(ascii: "\""): copy.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): copy.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): copy.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): copy.append(0x08)
        case UInt8(ascii: "f"): copy.append(0x0C)
        case UInt8(ascii: "n"): copy.append(0x0A)
        case UInt8(ascii: "r"): copy.append(0x0D)
        case UInt8(ascii: "t"): copy.append(0x09)
        case UInt8(ascii: "u"): return try unicodeEscape(bytes, into: &copy)
        default: throw error(.invalidEscape)
        }
        offset += 2
    }

    /// `\uXXXX`, or two of them for a scalar beyond the basic plane (RFC 8259 section 7).
    private mutating func unicodeEscape(
        _ bytes: Span<UInt8>,
        into copy: inout [UInt8]
    ) throws(JSONSyntaxError) {
        let start = offset
        var code = try hexadecimal(bytes)
        if (0xD800..<0xDC00).contains(code), offset + 1 < bytes.count,
            bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
        {
            let low = try hexadecimal(bytes)
            guard (0xDC00..<0xE000).contains(low) else {
                throw JSONSyntaxError(problem: .loneSurrogate, offset: start)
            }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw JSONSyntaxError(problem: .loneSurrogate, offset: start)
        }
        copy.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Consumes `\uXXXX`.
    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> UInt32 {
        guard offset + 6 <= bytes.count else { throw error(.unexpectedEnd) }
        var code: UInt32 = 0
        for index in offset + 2..<offset + 6 {
            guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else {
                throw error(.invalidEscape)
            }
            code = code << 4 | UInt32(digit)
        }
        offset += 6
        return code
    }
}

extension String {
    /// Returns true if there are at most `limit` non-starters in a row. No language needs more than 30
    /// (Stream-Safe Text Format, UAX #15 section 13): comparing, sorting and drawing such text takes time in
    /// proportion to its length.
    ///
    /// Characters are counted without decomposing them; a few would decompose into two or three non-starters.
    fileprivate func hasMarks(atMost limit: Int) -> Bool {
        // A non-starter is two bytes or more, and the first of all, U+0300, begins with 0xCC.
        guard utf8.count / 2 > limit, utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var marks = 0
        for scalar in unicodeScalars {
            if scalar.value < 0x300 || scalar.properties.canonicalCombiningClass == .notReordered {
                marks = 0
            } else {
                marks += 1
                if marks > limit { return false }
            }
        }
        return true
    }
}
