/// Numbers the calls of an application, which draws it: the answer is told with the same number.
package struct CallID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Names a channel. Text of an RFC 4122 UUID in upper case, as Apple's `UUID.uuidString` writes it.
package struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// - Parameter text: A UUID in its 36-character form, in either case. Anything else gives nil.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            switch index {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            default:
                guard Character(UnicodeScalar(byte)).isHexDigit else { return nil }
            }
        }
        self.text = text.uppercased()
    }

    /// Makes an identifier of 16 bytes that the caller drew at random (version and variant bits are set here).
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

/// Numbers the transmissions of one run of the core, from 1.
package struct TransmissionID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// What the programs call themselves.
package enum Product {
    package static let name = "PushToTalk for Linux"
    package static let version = "0.1.0"
}
