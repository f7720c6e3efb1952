import Testing

@testable import Bitmap

/// Files of strangers.
struct BitmapTests {
    @Test(arguments: [
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "", "BM", "\u{1}\u{0}", "P6 1 1 255 abc", "/* XPM */",
        "GIF89a",
    ])
    func `a file of another kind is refused`(text: String) {
        #expect(throws: BitmapError.unknownFormat) { try Bitmap(decoding: Array(text.utf8), size: 22) }
    }

    @Test func `a picture is cut to a square and scaled, and is encoded as PNG`() throws {
        let picture = try Bitmap(decoding: Pictures.png(width: 4, height: 2), size: 8)
        #expect(picture.size == 8)
        #expect(picture.rgba.count == 8 * 8 * 4)
        #expect(Array(picture.rgba.prefix(4)) == [0xFF, 0xFF, 0xFF, 0xFF])
        let again = try Bitmap(decoding: picture.png(), size: 8)
        #expect(again == picture)
        #expect(try picture.scaled(to: 3).size == 3)
    }

    @Test(
        arguments: [
            (Pictures.webp, [0, 200, 0, 255], 0), (Pictures.lossyWebP, [0, 200, 0, 255], 4),
            (Pictures.jpeg, [117, 117, 117, 255], 4),
        ] as [([UInt8], [UInt8], Int)]
    )
    func `a file of each format has its colours`(file: [UInt8], colour: [UInt8], loss: Int) throws {
        let picture = try Bitmap(decoding: file, size: 8)
        for (index, value) in picture.rgba.enumerated() {
            #expect(abs(Int(value) - Int(colour[index % 4])) <= loss)
        }
    }

    @Test func `what is transparent does not show through when it is scaled`() throws {
        let pixels: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 0]
        let picture = try #require(Bitmap(size: 2, rgba: pixels + pixels)).scaled(to: 1)
        #expect(picture.rgba[0] > 250 && picture.rgba[1] < 5)
        #expect(120...135 ~= picture.rgba[3])
    }

    @Test(arguments: [(2049, 1), (1, 2049), (30_000, 30_000), (0, 5), (Int(UInt32.max), Int(UInt32.max))])
    func `a PNG that asks for more is refused by its header`(width: Int, height: Int) {
        #expect(throws: BitmapError.tooLarge(width: width, height: height)) {
            try Bitmap(decoding: Pictures.png(width: width, height: height), size: 22)
        }
    }

    @Test func `the size of a JPEG is that of its frame header, after any other segments`() throws {
        let file = try PictureFile(Pictures.jpeg(width: 640, height: 480, scans: 10))
        #expect(file.width == 640 && file.height == 480)
        #expect(throws: BitmapError.tooLarge(width: 65_535, height: 2)) {
            try Bitmap(decoding: Pictures.jpeg(width: 65_535, height: 2, scans: 1), size: 22)
        }
    }

    @Test func `a JPEG of very many scans is refused`() {
        #expect(throws: BitmapError.tooComplex) {
            try Bitmap(decoding: Pictures.jpeg(width: 64, height: 64, scans: 10_000), size: 22)
        }
    }

    @Test(arguments: [
        ("VP8X", [0, 0, 0, 0, 0xFF, 0x0F, 0, 0xFF, 0x0F, 0], 4096),
        ("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0xFF, 0x3F, 0xFF, 0x3F], 16_383),
        ("VP8L", [0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0, 0, 0, 0], 16_384),
    ])
    func `a WebP that asks for more is refused by its header`(chunk: String, header: [UInt8], size: Int) {
        let file = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(chunk)".utf8) + [0, 0, 0, 0] + header
        #expect(throws: BitmapError.tooLarge(width: size, height: size)) {
            try Bitmap(decoding: file, size: 22)
        }
    }

    @Test func `every beginning of a file is an error or a picture`() {
        for file in [
            Pictures.png(width: 4, height: 2), Pictures.jpeg(width: 64, height: 64, scans: 2), Pictures.webp,
        ] {
            for count in 0..<file.count {
                // Which of the two does not matter: that it returns does.
                _ = try? Bitmap(decoding: Array(file[..<count]), size: 4)
            }
        }
    }

    @Test func `every single wrong byte is an error or a picture`() {
        let files = [
            Pictures.png(width: 4, height: 2), Pictures.jpeg(width: 64, height: 64, scans: 2), Pictures.webp,
        ]
        for file in files {
            for index in file.indices {
                for value: UInt8 in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                    var wrong = file
                    wrong[index] = value
                    // As above.
                    _ = try? Bitmap(decoding: wrong, size: 4)
                }
            }
        }
    }
}
