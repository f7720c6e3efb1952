import Input
import Testing

@Suite struct KeySetTests {
    @Test func `the capabilities of a headset jack are read from the highest word down`() {
        // Code 164 is bit 36 of the third word from the right, 114 and 115 are bits 50 and 51 of the second.
        let keys = Set<KeyCode>(capabilities: "1000000000 c000000000000 0\n", wordSize: 64)
        #expect(keys == [.playPause, .volumeDown, .volumeUp])
    }

    @Test func `a kernel with 32-bit words reports the same keys`() {
        let keys = Set<KeyCode>(capabilities: "10 0 c0000 0 0 0", wordSize: 32)
        #expect(keys == [.playPause, .volumeDown, .volumeUp])
    }

    @Test(arguments: ["", "0", "\n", "zz", "-1", "fffffffffffffffffff"])
    func `an attribute without a number has no keys`(text: String) {
        #expect(Set<KeyCode>(capabilities: text, wordSize: 64).isEmpty)
    }

    @Test func `words beyond the last key are ignored`() {
        let endless = Array(repeating: "ffffffffffffffff", count: 2000).joined(separator: " ")
        let keys = Set<KeyCode>(capabilities: endless, wordSize: 64)
        #expect(keys.contains(KeyCode(rawValue: 0x2ff)))
        #expect(!keys.contains(KeyCode(rawValue: 0x300)))
    }

    @Test func `each letter and the space bar alone make a device that can type`() {
        // linux/input-event-codes.h: KEY_Q, KEY_P, KEY_A, KEY_L, KEY_Z, KEY_M, KEY_SPACE.
        for code: UInt16 in [16, 25, 30, 38, 44, 50, 57] {
            #expect(Set([KeyCode(rawValue: code)]).canTypeText)
        }
    }

    @Test func `digits, Enter and media keys cannot type`() {
        let codes: [UInt16] = [2, 11, 28, 113, 114, 115, 163, 164, 165, 200, 201, 226, 0x200, 0x246]
        #expect(!Set(codes.map { KeyCode(rawValue: $0) }).canTypeText)
    }
}
