/// Identifies a channel: the text of an RFC 4122 UUID in upper case, as Apple's `UUID.uuidString` writes it.
package struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// - Parameter text: A UUID in its 36-character form, in either case. Anything else gives nil.
    package init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            let character = Character(UnicodeScalar(byte))
            guard [8, 13, 18, 23].contains(index) ? character == "-" : character.isHexDigit else {
                return nil
            }
        }
        self.text = text.uppercased()
    }

    /// Makes a UUID of version 4 from 16 random bytes; the version and variant bits are set here.
    package init(randomBytes bytes: (UInt64, UInt64)) {
        let high = bytes.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = bytes.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var text: [UInt8] = []
        for digit in (String(hexadecimal: high, digits: 16) + String(hexadecimal: low, digits: 16)).utf8 {
            if [8, 13, 18, 23].contains(text.count) { text.append(UInt8(ascii: "-")) }
            // In upper case, as Foundation writes UUIDs.
            text.append(digit < UInt8(ascii: "a") ? digit : digit - 0x20)
        }
        self.text = String(decoding: text, as: UTF8.self)
    }

    package var description: String { text }
}

extension ChannelID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let identifier = ChannelID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a UUID")
        }
        self = identifier
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
