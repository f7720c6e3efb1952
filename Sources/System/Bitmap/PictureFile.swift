/// The description of a picture in its first bytes, read before any decoder sees it.
///
/// Decoders allocate what a header asks for, and a stranger writes the header: a file of a few hundred bytes
/// can ask for gigabytes.
struct PictureFile: Equatable {
    enum Format {
        case png
        case jpeg
        case webp
    }

    let format: Format
    let width: Int
    let height: Int

    /// A progressive JPEG is decoded once for each of its scans, which take 20 bytes each. Encoders write
    /// ten.
    static let scanLimit = 32

    init(_ bytes: [UInt8]) throws(BitmapError) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            try self.init(png: bytes)
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            try self.init(jpeg: bytes)
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            try self.init(webp: bytes)
        } else {
            throw .unknownFormat
        }
    }

    private init(_ format: Format, width: Int, height: Int) {
        self.format = format
        self.width = width
        self.height = height
    }

    /// IHDR is the first chunk (PNG specification, 5.6).
    private init(png bytes: [UInt8]) throws(BitmapError) {
        guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { throw .malformed }
        let width = bytes.bigEndian(at: 16, count: 4)
        self.init(.png, width: width, height: bytes.bigEndian(at: 20, count: 4))
    }

    /// Segments with their lengths up to the frame header, SOF0 to SOF15 (ITU-T T.81, annex B).
    private init(jpeg bytes: [UInt8]) throws(BitmapError) {
        var position = 2
        while position + 9 < bytes.count {
            guard bytes[position] == 0xFF else { throw .malformed }
            let marker = bytes[position + 1]
            switch marker {
            case 0xFF:
                position += 1
                continue
            case 0x01, 0xD0...0xD7:
                position += 2
                continue
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                let height = bytes.bigEndian(at: position + 5, count: 2)
                let width = bytes.bigEndian(at: position + 7, count: 2)
                // Within coded data 0xFF is followed by zero, so that these are markers, or within a segment.
                let scans = zip(bytes, bytes.dropFirst()).reduce(0) {
                    $0 + ($1.0 == 0xFF && $1.1 == 0xDA ? 1 : 0)
                }
                guard scans <= Self.scanLimit else { throw .tooComplex }
                self.init(.jpeg, width: width, height: height)
                return
            default:
                position += 2 + max(2, bytes.bigEndian(at: position + 2, count: 2))
            }
        }
        throw .malformed
    }

    /// The canvas of VP8X, or the frame header of VP8 (RFC 6386, 9.1) or VP8L (RFC 9649, 3.4).
    private init(webp bytes: [UInt8]) throws(BitmapError) {
        guard bytes.count >= 30 else { throw .malformed }
        let width: Int
        let height: Int
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8X":
            // An animation may have larger pictures than its canvas: only still pictures.
            guard bytes[20] & 0x02 == 0 else { throw .tooComplex }
            width = bytes.littleEndian(at: 24, count: 3) + 1
            height = bytes.littleEndian(at: 27, count: 3) + 1
        case "VP8 ":
            width = bytes.littleEndian(at: 26, count: 2) & 0x3FFF
            height = bytes.littleEndian(at: 28, count: 2) & 0x3FFF
        case "VP8L":
            let bits = bytes.littleEndian(at: 21, count: 4)
            width = (bits & 0x3FFF) + 1
            height = (bits >> 14 & 0x3FFF) + 1
        default:
            throw .malformed
        }
        self.init(.webp, width: width, height: height)
    }
}

extension [UInt8] {
    fileprivate func bigEndian(at position: Int, count: Int) -> Int {
        self[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
    }

    fileprivate func littleEndian(at position: Int, count: Int) -> Int {
        self[position..<position + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
