/// RFC 4648, section 4, with padding: the form of bytes in JSON.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    /// The value of a byte that is not a digit.
    private static let none: UInt8 = 0xFF

    /// The value of each byte as a digit.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: none, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> String {
        let digits = digits
        let count = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: count) { text in
            var position = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let left = bytes.count - start
                let second = left > 1 ? bytes[start + 1] : 0
                let third = left > 2 ? bytes[start + 2] : 0
                let bits = Int(bytes[start]) << 16 | Int(second) << 8 | Int(third)
                text[position] = digits[bits >> 18]
                text[position + 1] = digits[bits >> 12 & 63]
                text[position + 2] = left > 1 ? digits[bits >> 6 & 63] : padding
                text[position + 3] = left > 2 ? digits[bits & 63] : padding
                position += 4
            }
            return count
        }
    }

    /// Returns nil unless the text is whole groups of the alphabet, with padding only at the end.
    static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode($0) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let padded = text.suffix(2).reversed().prefix { $0 == padding }.count
        let digitCount = text.count - padded
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        for start in stride(from: 0, to: text.count, by: 4) {
            var bits: UInt32 = 0
            for position in start..<start + 4 {
                let value = position < digitCount ? values[Int(text[position])] : 0
                guard value != none else { return nil }
                bits = bits << 6 | UInt32(value)
            }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            bytes.append(UInt8(truncatingIfNeeded: bits))
        }
        bytes.removeLast(padded)
        return bytes
    }
}
