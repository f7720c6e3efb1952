/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable {
    /// 4 or 16, the first one first.
    let bytes: [UInt8]

    /// Nil for another number of bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Of one link only, as each of those has: fe80::/10.
    var isOfLink: Bool { bytes.count == 16 && bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 }
}

/// The addresses that a route is for.
public struct IPPrefix: Hashable, Sendable {
    let address: IPAddress
    /// How many bits count.
    let length: Int

    /// Nil for more bits than an address has.
    public init?(_ address: IPAddress, length: Int) {
        guard 0...address.bytes.count * 8 ~= length else { return nil }
        (self.address, self.length) = (address, length)
    }

    func contains(_ other: IPAddress) -> Bool {
        guard address.bytes.count == other.bytes.count else { return false }
        return (0..<address.bytes.count).allSatisfy { index in
            let mask = UInt8(truncatingIfNeeded: 0xff00 >> min(8, max(0, length - index * 8)))
            return (address.bytes[index] ^ other.bytes[index]) & mask == 0
        }
    }
}
