import Testing

@testable import Pixbuf

struct PixbufTests {
    @Test func `a file of another kind is refused`() {
        #expect(throws: PixbufError.unknownFormat) { try Pixbuf(decoding: Array("<svg/>".utf8), size: 22) }
    }
}
