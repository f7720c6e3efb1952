import CNettle

/// AES-128 in CCM (RFC 3610), without associated data.
package enum AESCCM {
    package static let keySize = Int(AES128_KEY_SIZE)

    /// Decrypts a message.
    ///
    /// - Parameters:
    ///   - ciphertext: At most 65,535 bytes with a nonce of 13.
    ///   - tag: The proof of its origin, of 4 to 16 bytes in steps of two.
    ///   - nonce: 7 to 13 bytes.
    ///   - key: 16 bytes.
    /// - Returns: Nil if it was not encrypted with this key and nonce, or a length is not possible.
    package static func decrypt(_ ciphertext: [UInt8], tag: [UInt8], nonce: [UInt8], key: [UInt8]) -> [UInt8]?
    {
        guard key.count == keySize, (7...13).contains(nonce.count), (4...16).contains(tag.count),
            tag.count.isMultiple(of: 2), ciphertext.count <= Int(UInt16.max)
        else { return nil }
        var context = ccm_aes128_ctx()
        nettle_ccm_aes128_set_key(&context, key)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ciphertext.count + 1) { buffer in
            nettle_ccm_aes128_decrypt_message(
                &context,
                nonce.count,
                nonce,
                0,
                nil,
                tag.count,
                ciphertext.count,
                buffer.baseAddress,
                ciphertext + tag
            ) == 1 ? Array(buffer.prefix(ciphertext.count)) : nil
        }
    }
}
