import Testing

@testable import Pixbuf

/// Files of strangers.
struct PixbufTests {
    @Test(arguments: [
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "", "BM", "\u{1}\u{0}", "P6 1 1 255 abc", "/* XPM */",
        "GIF",
    ])
    func `a file of another kind is refused`(text: String) {
        #expect(throws: PixbufError.unknownFormat) { try Pixbuf(decoding: Array(text.utf8), size: 22) }
    }

    @Test func `a picture is cut to a square and scaled, and is encoded as PNG`() throws {
        let picture = try Pixbuf(decoding: Pictures.png(width: 4, height: 2), size: 8)
        #expect(picture.size == 8)
        #expect(picture.rgba.count == 8 * 8 * 4)
        #expect(Array(picture.rgba.prefix(4)) == [0xFF, 0xFF, 0xFF, 0xFF])
        let again = try Pixbuf(decoding: picture.png(), size: 8)
        #expect(again == picture)
        #expect(try picture.scaled(to: 3).size == 3)
    }

    @Test(arguments: [(2049, 1), (1, 2049), (30_000, 30_000), (0, 5), (Int(UInt32.max), Int(UInt32.max))])
    func `a PNG that asks for more is refused by its header`(width: Int, height: Int) {
        #expect(throws: PixbufError.tooLarge(width: width, height: height)) {
            try Pixbuf(decoding: Pictures.png(width: width, height: height), size: 22)
        }
    }

    @Test func `of an animation the first picture is decoded`() throws {
        let gif = Pictures.gif(screen: (1, 1), frames: [(0, 0, 1, 1), (0, 0, 1, 1)])
        let file = try PictureFile(gif)
        #expect(file.bytes.count < gif.count)
        #expect(file.bytes.last == 0x3B)
        let picture = try Pixbuf(decoding: gif, size: 2)
        #expect(Array(picture.rgba.prefix(4)) == [0x00, 0xC8, 0x00, 0xFF])
    }

    @Test func `a GIF whose picture is larger than its screen is refused`() {
        let gif = Pictures.gif(screen: (1, 1), frames: [(0, 0, 65_535, 65_535)])
        #expect(throws: PixbufError.malformed) { try Pixbuf(decoding: gif, size: 22) }
    }

    @Test func `the size of a JPEG is that of its frame header, after any other segments`() throws {
        let file = try PictureFile(Pictures.jpeg(width: 640, height: 480, scans: 10))
        #expect(file.width == 640 && file.height == 480)
        #expect(throws: PixbufError.tooLarge(width: 65_535, height: 2)) {
            try Pixbuf(decoding: Pictures.jpeg(width: 65_535, height: 2, scans: 1), size: 22)
        }
    }

    @Test func `a JPEG of very many scans is refused`() {
        #expect(throws: PixbufError.tooComplex) {
            try Pixbuf(decoding: Pictures.jpeg(width: 64, height: 64, scans: 10_000), size: 22)
        }
    }

    @Test(arguments: [
        ("VP8X", [0, 0, 0, 0, 0xFF, 0x0F, 0, 0xFF, 0x0F, 0], 4096),
        ("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0xFF, 0x3F, 0xFF, 0x3F], 16_383),
        ("VP8L", [0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0, 0, 0, 0], 16_384),
    ])
    func `a WebP that asks for more is refused by its header`(chunk: String, header: [UInt8], size: Int) {
        let file = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(chunk)".utf8) + [0, 0, 0, 0] + header
        #expect(throws: PixbufError.tooLarge(width: size, height: size)) {
            try Pixbuf(decoding: file, size: 22)
        }
    }

    @Test func `every beginning of a file is an error or a picture`() {
        for file in [
            Pictures.png(width: 4, height: 2), Pictures.gif(screen: (1, 1), frames: [(0, 0, 1, 1)]),
            Pictures.jpeg(width: 64, height: 64, scans: 2),
        ] {
            for count in 0..<file.count {
                // Which of the two does not matter: that it returns does.
                _ = try? Pixbuf(decoding: Array(file[..<count]), size: 4)
            }
        }
    }

    @Test func `every single wrong byte is an error or a picture`() {
        let files = [
            Pictures.png(width: 4, height: 2), Pictures.gif(screen: (1, 1), frames: [(0, 0, 1, 1)]),
            Pictures.jpeg(width: 64, height: 64, scans: 2),
        ]
        for file in files {
            for index in file.indices {
                for value: UInt8 in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                    var wrong = file
                    wrong[index] = value
                    // As above.
                    _ = try? Pixbuf(decoding: wrong, size: 4)
                }
            }
        }
    }
}
