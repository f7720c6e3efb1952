/// A Bluetooth UUID of 128 bits, in BlueZ's form: 36 characters, lower case.
package struct GattUUID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init(_ value: UInt128) {
        let digits = String(value, radix: 16)
        let padded = Array(String(repeating: "0", count: 32 - digits.count) + digits)
        let groups = [padded[0..<8], padded[8..<12], padded[12..<16], padded[16..<20], padded[20..<32]]
        text = groups.map { String($0) }.joined(separator: "-")
    }

    /// A short UUID, assigned by the Bluetooth SIG or used as if it were, on the Bluetooth Base UUID
    /// (Bluetooth Core Specification, Volume 3, Part B, 2.5.1).
    package init(assigned: UInt32) {
        self.init(UInt128(assigned) << 96 | 0x0000_0000_0000_1000_8000_0080_5F9B_34FB)
    }

    /// - Parameter text: 4, 8 or 36 characters, in upper or lower case. The result is nil for anything else.
    package init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.joined().utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
        switch groups.map(\.utf8.count) {
        case [4], [8]:
            guard let number = UInt32(text, radix: 16) else { return nil }
            self.init(assigned: number)
        case [8, 4, 4, 4, 12]:
            guard let number = UInt128(groups.joined(), radix: 16) else { return nil }
            self.init(number)
        default:
            return nil
        }
    }

    package var description: String { text }
}
