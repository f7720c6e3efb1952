import AESCCM
import Testing

/// With the example of https://bthome.io/encryption.
@Suite struct AESCCMTests {
    private static let key: [UInt8] = [
        0x23, 0x1D, 0x39, 0xC1, 0xD7, 0xCC, 0x1A, 0xB1, 0xAE, 0xE2, 0x24, 0xCD, 0x09, 0x6D, 0xB9, 0x32,
    ]
    private static let nonce: [UInt8] = [
        0x54, 0x48, 0xE6, 0x8F, 0x80, 0xA5, 0xD2, 0xFC, 0x41, 0x33, 0x22, 0x11, 0x00,
    ]
    private static let ciphertext: [UInt8] = [0xE4, 0x45, 0xF3, 0xC9, 0x96, 0x2B]
    private static let tag: [UInt8] = [0x6C, 0x7C, 0x45, 0x19]

    @Test func `a message is decrypted`() {
        let text = AESCCM.decrypt(Self.ciphertext, tag: Self.tag, nonce: Self.nonce, key: Self.key)
        #expect(text == [0x02, 0xCA, 0x09, 0x03, 0xBF, 0x13])
    }

    @Test func `a message is refused if any bit of it, its tag, its nonce or the key is another one`() {
        for bit in 0..<8 * (6 + 4 + 13 + 16) {
            var parts = [Self.ciphertext, Self.tag, Self.nonce, Self.key]
            var byte = bit / 8
            let part = parts.firstIndex { part in
                defer { byte -= part.count }
                return byte < part.count
            }
            guard let part else { continue }
            parts[part][byte + parts[part].count] ^= 1 << (bit % 8)
            #expect(AESCCM.decrypt(parts[0], tag: parts[1], nonce: parts[2], key: parts[3]) == nil)
        }
    }

    @Test func `impossible lengths are refused`() {
        let (text, tag, nonce, key) = (Self.ciphertext, Self.tag, Self.nonce, Self.key)
        #expect(AESCCM.decrypt(text, tag: [], nonce: nonce, key: key) == nil)
        #expect(AESCCM.decrypt(text, tag: tag + [0], nonce: nonce, key: key) == nil)
        #expect(AESCCM.decrypt(text, tag: tag, nonce: nonce + [0], key: key) == nil)
        #expect(AESCCM.decrypt(text, tag: tag, nonce: nonce, key: Array(key.dropLast())) == nil)
        #expect(AESCCM.decrypt([], tag: tag, nonce: nonce, key: key) == nil)
    }
}
