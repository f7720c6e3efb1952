/// RFC 4648, section 4, with padding: how bytes stand in JSON.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8: UInt32] = Dictionary(
        uniqueKeysWithValues: digits.enumerated().map { ($1, UInt32($0)) }
    )

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for offset in 0..<3 {
                bits = bits << 8 | (offset < group.count ? UInt32(group[start + offset]) : 0)
            }
            for position in 0..<4 {
                text.append(
                    position <= group.count
                        ? digits[Int(bits >> (18 - 6 * UInt32(position)) & 63)] : UInt8(ascii: "=")
                )
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Gives nil for anything but whole groups of the alphabet with its padding at the end.
    static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        let padding = characters.suffix(2).count { $0 == UInt8(ascii: "=") }
        if padding > 0, characters.suffix(padding).contains(where: { $0 != UInt8(ascii: "=") }) { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3)
        var bits: UInt32 = 0
        for (index, character) in characters.enumerated() {
            let isPadding = index >= characters.count - padding
            guard let value = isPadding ? 0 : values[character] else { return nil }
            bits = bits << 6 | value
            guard index % 4 == 3 else { continue }
            bytes.append(contentsOf: [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) })
            bits = 0
        }
        bytes.removeLast(padding)
        return bytes
    }
}
