import PTTMessages

/// A Bluetooth UUID of 128 bits.
package struct GattUUID: Hashable, Sendable, CustomStringConvertible {
    /// On which the short ones lie (Bluetooth Core Specification, Volume 3, Part B, 2.5.1).
    private static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5F9B_34FB

    private let value: UInt128

    package init(_ value: UInt128) {
        self.value = value
    }

    /// A short UUID, assigned by the Bluetooth SIG or used as if it were, on the Bluetooth Base UUID.
    package init(assigned: UInt32) {
        self.init(UInt128(assigned) << 96 | Self.base)
    }

    /// - Parameter text: 4, 8 or 36 characters, in upper or lower case. The result is nil for anything else.
    package init?(_ text: String) {
        let count = text.utf8.count
        guard [4, 8, 36].contains(count) else { return nil }
        var value: UInt128 = 0
        for (index, character) in text.utf8.enumerated() {
            if count == 36, [8, 13, 18, 23].contains(index) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
            value = value << 4 | UInt128(digit)
        }
        self.init(count == 36 ? value : value << 96 | Self.base)
    }

    /// The short UUID; nil for one that does not lie on the Bluetooth Base UUID.
    package var assigned: UInt32? {
        value << 32 == Self.base << 32 ? UInt32(value >> 96) : nil
    }

    /// BlueZ's form: 36 characters, lower case.
    package var text: String {
        let digits =
            String(hexadecimal: UInt64(value >> 64), digits: 16)
            + String(hexadecimal: UInt64(truncatingIfNeeded: value), digits: 16)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }

    package var description: String { text }
}
