import Testing

@testable import MumbleCore

/// https://datatracker.ietf.org/doc/html/draft-krovetz-ocb-00 and https://eprint.iacr.org/2019/311
@Suite struct OCB2Tests {
    private let key = [UInt8](0..<16)

    @Test(arguments: [
        (0, "", "bf3108130773ad5ec70ec69e7875a7b0"),
        (8, "c636b3a868f429bb", "a45f5fdea5c088d1d7c8be37cabc8c5c"),
        (16, "52e48f5d19fe2d9869f0c4a4b3d2be57", "f7ee49ae7aa5b5e6645db6b3966136f9"),
        (
            40,
            "f75d6bc8b4dc8d66b836a2b08b32a6369f1cd3c5228d79fd6c267f5f6aa7b231c7dfb9d59951ae9c",
            "9db0cdf880f73e3e10d4eb3217766688"
        ),
    ])
    func `the published vectors hold in both directions`(_ length: Int, _ bytes: String, _ tag: String) throws
    {
        let cipher = try #require(OCB2(key: key))
        let nonce = UInt128(bigEndianBytes: key)
        let text = (0..<length).map { UInt8($0) }
        let sealed = cipher.seal(text, nonce: nonce)
        #expect(sealed.bytes.hexadecimal == bytes)
        #expect(sealed.tag.bigEndianBytes.hexadecimal == tag)
        let opened = try #require(cipher.open(sealed.bytes, nonce: nonce))
        #expect(opened.text == text)
        #expect(opened.tag == sealed.tag)
    }

    @Test func `a key of another size is refused`() {
        #expect(OCB2(key: [UInt8](0..<15)) == nil)
        #expect(OCB2(key: [UInt8](0..<32)) == nil)
    }

    @Test(arguments: [17, 31, 32, 33, 48, 49, 64, 120])
    func `silence is never sent in the form that an attacker can forge from`(_ length: Int) throws {
        let cipher = try #require(OCB2(key: key))
        let sealed = cipher.seal([UInt8](repeating: 0, count: length), nonce: 1)
        // The block before the last is what the attack needs: its text is the length of a block, or zero.
        let opened = try #require(cipher.open(sealed.bytes, nonce: 1))
        let last = (length - 1) / 16 * 16
        #expect(opened.tag == sealed.tag)
        #expect(opened.text[last - 16] == 1)
        #expect(opened.text.enumerated().allSatisfy { $0.offset == last - 16 || $0.element == 0 })
    }

    /// The minimal forgery of the paper: the first encrypted block of a packet, whose text is the number of
    /// bits of a block, gives a packet of one block whose tag an attacker can compute.
    @Test func `the known forgery is refused`() throws {
        let cipher = try #require(OCB2(key: key))
        let size: UInt128 = 128
        // A sender without our rule, as the block is not the one before the last.
        let sealed = cipher.seal(size.bigEndianBytes + [UInt8](repeating: 1, count: 32), nonce: 7)
        let first = UInt128(bigEndianBytes: sealed.bytes.prefix(16))
        #expect(cipher.open((first ^ size).bigEndianBytes, nonce: 7) == nil)
        // Any other bytes are refused by the tag only.
        #expect(cipher.open((first ^ size ^ 1 << 64).bigEndianBytes, nonce: 7) != nil)
    }
}

extension [UInt8] {
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    init?(hexadecimal text: String) {
        let bytes = stride(from: 0, to: text.count, by: 2).map { offset in
            let start = text.index(text.startIndex, offsetBy: offset)
            return UInt8(text[start...].prefix(2), radix: 16)
        }
        guard !bytes.contains(nil) else { return nil }
        self = bytes.compactMap(\.self)
    }
}
