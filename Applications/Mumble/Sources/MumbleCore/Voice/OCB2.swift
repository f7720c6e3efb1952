import Crypto
import CryptoExtras

/// Authenticated encryption in the mode OCB2 with AES-128, which Mumble uses for voice.
///
/// OCB2 as published is broken: an attacker can forge a packet from one of a certain form, and from there
/// read others. Both countermeasures against it are here: such a packet is never sent, and none is accepted.
/// - https://eprint.iacr.org/2019/311 (the attack)
/// - https://datatracker.ietf.org/doc/html/draft-krovetz-ocb-00 (the mode)
struct OCB2: Sendable {
    /// A block, its first byte highest.
    typealias Block = UInt128

    static let blockSize = 16

    private let key: SymmetricKey

    /// - Parameter key: Nil unless it has 16 bytes.
    init?(key: [UInt8]) {
        guard key.count == Self.blockSize else { return nil }
        self.key = SymmetricKey(data: key)
    }

    /// - Returns: The encrypted bytes, as many as of the text, and the tag. The last bit of the first byte of
    ///   a block may differ after decryption: the one before the last, if its first 15 bytes are zero, as in
    ///   digital silence. Encrypting that block as it is gives an attacker a packet to forge others from.
    func seal(_ text: [UInt8], nonce: Block) -> (bytes: [UInt8], tag: Block) {
        var delta = encrypt(nonce)
        var checksum: Block = 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while rest.count > Self.blockSize {
            delta = doubled(delta)
            var block = Block(bigEndianBytes: rest.prefix(Self.blockSize))
            rest = rest.dropFirst(Self.blockSize)
            if rest.count <= Self.blockSize, block >> 8 == 0 { block ^= Self.flippedBit }
            bytes += (delta ^ encrypt(delta ^ block)).bigEndianBytes
            checksum ^= block
        }
        delta = doubled(delta)
        let pad = encrypt(delta ^ Block(rest.count * 8))
        let last = Block(bigEndianBytes: rest)
        bytes += (last ^ pad).bigEndianBytes.prefix(rest.count)
        checksum ^= last | pad & Self.tail(after: rest.count)
        return (bytes, encrypt(delta ^ doubled(delta) ^ checksum))
    }

    /// - Returns: The decrypted bytes, and the tag that a genuine packet has; nil for a packet of the form
    ///   that forgeries have, whatever its tag.
    func open(_ bytes: [UInt8], nonce: Block) -> (text: [UInt8], tag: Block)? {
        var delta = encrypt(nonce)
        var checksum: Block = 0
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while rest.count > Self.blockSize {
            delta = doubled(delta)
            let block = delta ^ decrypt(delta ^ Block(bigEndianBytes: rest.prefix(Self.blockSize)))
            rest = rest.dropFirst(Self.blockSize)
            text += block.bigEndianBytes
            checksum ^= block
        }
        delta = doubled(delta)
        let padded = Block(bigEndianBytes: rest) ^ encrypt(delta ^ Block(rest.count * 8))
        guard padded >> 8 != delta >> 8 else { return nil }
        text += padded.bigEndianBytes.prefix(rest.count)
        checksum ^= padded
        return (text, encrypt(delta ^ doubled(delta) ^ checksum))
    }

    /// The lowest bit of the first byte.
    private static let flippedBit: Block = 1 << 120

    /// Ones in all bytes but the first `count`.
    private static func tail(after count: Int) -> Block { count == blockSize ? 0 : Block.max >> (count * 8) }

    /// The product with x in the field of 2¹²⁸ elements.
    private func doubled(_ block: Block) -> Block { block << 1 ^ (block >> 127) * 0x87 }

    private func encrypt(_ block: Block) -> Block {
        permuted(block) { try AES.permute(&$0, key: key) }
    }

    private func decrypt(_ block: Block) -> Block {
        permuted(block) { try AES.inversePermute(&$0, key: key) }
    }

    private func permuted(_ block: Block, _ permute: (inout [UInt8]) throws -> Void) -> Block {
        var bytes = block.bigEndianBytes
        do {
            try permute(&bytes)
        } catch {
            // It throws for a key or a block of another size only.
            preconditionFailure("\(error)")
        }
        return Block(bigEndianBytes: bytes)
    }
}

extension UInt128 {
    /// - Parameter bytes: At most 16; zeros are appended to fewer.
    init(bigEndianBytes bytes: some Collection<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) } << ((16 - bytes.count) * 8)
    }

    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

    init(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
        self.init(bigEndianBytes: bytes.reversed())
    }

    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
