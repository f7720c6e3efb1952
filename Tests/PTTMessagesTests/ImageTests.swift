import Testing

@testable import PTTMessages

@Suite struct ImageTests {
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `bytes and base64 are those of the standard`(_ text: String, _ base64: String) {
        #expect(Base64.encode(Array(text.utf8)) == base64)
        #expect(Base64.decode(base64) == Array(text.utf8))
    }

    @Test func `every byte survives base64`() {
        for length in 253...258 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
        #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "=Zg=", "Z===", "Zm9v\n", "Zm 9", "Zm9v====", "Z-_v", "Zmé=", "Zg==Zg==",
    ])
    func `text that is not base64 is refused`(_ text: String) {
        #expect(Base64.decode(text) == nil)
        #expect(throws: Image.Unusable.self) { try Image(base64: text) }
    }

    @Test(arguments: [
        png, [0xFF, 0xD8, 0xFF, 0xE0], Array("GIF89a".utf8),
        Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBPVP8 ".utf8),
    ])
    func `a picture is recognised by its first bytes and reads back`(_ bytes: [UInt8]) throws {
        let image = try Image(bytes)
        #expect(image.bytes == bytes)
        #expect(try Image(base64: image.base64) == image)
        #expect(image.summary.byteCount == bytes.count)
    }

    @Test(arguments: [
        [], Array("hello".utf8), [0x89, 0x50, 0x4E], Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WAVE".utf8),
        Array("<svg/>".utf8), Array("RIFF".utf8),
    ])
    func `any other file is refused`(_ bytes: [UInt8]) {
        #expect(throws: Image.Unusable.notAnImage) { try Image(bytes) }
    }

    @Test func `a picture has at most 256 KiB`() throws {
        let largest = Self.png + [UInt8](repeating: 0, count: Image.sizeLimit - Self.png.count)
        let image = try Image(largest)
        #expect(try Image(base64: image.base64) == image)
        #expect(throws: Image.Unusable.tooLarge(byteCount: Image.sizeLimit + 1)) { try Image(largest + [0]) }
        #expect(throws: Image.Unusable.self) { try Image(base64: Base64.encode(largest + [0])) }
        let text = String(repeating: "A", count: 16 * 1024 * 1024)
        #expect(throws: Image.Unusable.tooLarge(byteCount: 12 * 1024 * 1024)) { try Image(base64: text) }
    }

    @Test func `equal pictures have equal identifiers, and different ones have different ones`() throws {
        let image = try Image(Self.png)
        #expect(image.summary == (try Image(Self.png)).summary)
        #expect(image.summary.imageID != (try Image(Self.png + [0])).summary.imageID)
        #expect(image.summary.imageID.utf8.count == 16)
    }

    @Test func `the reason why a picture is not kept is a sentence`() {
        #expect("\(Image.Unusable.tooLarge(byteCount: 300_000))".contains("300000"))
        #expect("\(Image.Unusable.notAnImage)".contains("PNG"))
        #expect("\(Image.Unusable.notBase64)".contains("base64"))
    }
}
