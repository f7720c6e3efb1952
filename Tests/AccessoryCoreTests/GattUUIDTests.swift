import AccessoryCore
import Testing

@Suite struct GattUUIDTests {
    @Test(arguments: [
        "", "ffe", "-fe0", "+fe0", "0000ffe0-0000-1000-8000-00805f9b34f", "g000", "ffe0ffe0f", "\u{00E9}fe0",
    ])
    func `text that is not a UUID is refused`(_ text: String) {
        #expect(GattUUID(text) == nil)
    }

    @Test(arguments: [
        ("ffe0", "ffe0"), ("0000FFE0-0000-1000-8000-00805F9B34FB", "ffe0"), ("1234ffe0", "1234ffe0"),
        ("127FACE1-cb21-11e5-93d0-0002a5d5c51b", "127face1-cb21-11e5-93d0-0002a5d5c51b"),
    ])
    func `a UUID is written as short as it can be`(_ text: String, _ short: String) {
        #expect(GattUUID(text)?.shortText == short)
    }
}
