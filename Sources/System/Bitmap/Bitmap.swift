import CWebP

/// A square picture in memory: red, green, blue and alpha, a byte each, not premultiplied, in rows from the
/// top.
package struct Bitmap: Equatable, Sendable {
    /// The largest side of a picture that is decoded, in pixels.
    package static let sideLimit = 2048

    /// The number of rows and columns.
    package let size: Int
    package private(set) var rgba: [UInt8]

    /// Decodes a PNG, JPEG or WebP file, whose length the caller limits, and scales the middle of it to a
    /// square with so many rows and columns. Blocks for some milliseconds.
    ///
    /// - Throws: If the file is none of these, is broken, or asks for more than ``sideLimit``, which is found
    ///   out before memory is allocated for it.
    package init(decoding bytes: [UInt8], size: Int) throws(BitmapError) {
        let file = try PictureFile(bytes)
        let (width, height) = (file.width, file.height)
        guard 1...Self.sideLimit ~= width, 1...Self.sideLimit ~= height else {
            throw .tooLarge(width: width, height: height)
        }
        let pixels: [UInt8]
        switch file.format {
        case .png: pixels = try PNG.decode(bytes, width: width, height: height)
        case .jpeg: pixels = try JPEG.decode(bytes, width: width, height: height)
        case .webp: pixels = try WebP.decode(bytes, width: width, height: height)
        }
        let side = min(width, height)
        let corner = ((height - side) / 2 * width + (width - side) / 2) * 4
        try self.init(scaling: pixels[corner...], side: side, rowLength: width * 4, to: size)
    }

    /// Nil unless there are `size * size * 4` bytes.
    package init?(size: Int, rgba: [UInt8]) {
        guard rgba.count == size * size * 4 else { return nil }
        self.size = size
        self.rgba = rgba
    }

    /// The picture in another size.
    package func scaled(to size: Int) throws(BitmapError) -> Bitmap {
        try Bitmap(scaling: rgba[...], side: self.size, rowLength: self.size * 4, to: size)
    }

    /// The picture as a PNG file.
    package func png() throws(BitmapError) -> [UInt8] { try PNG.encode(rgba, size: size) }

    /// The bytes of a tray item's pixmap: A, R, G, B.
    package var argb: [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: rgba.count, by: 4) {
            bytes.append(rgba[start + 3])
            bytes += rgba[start..<start + 3]
        }
        return bytes
    }

    /// The picture within a circle, as people are shown.
    package var round: Bitmap {
        var picture = self
        let middle = Double(size) / 2
        for row in 0..<size {
            for column in 0..<size {
                let x = Double(column) + 0.5 - middle
                let y = Double(row) + 0.5 - middle
                let coverage = min(1, max(0, middle - (x * x + y * y).squareRoot() + 0.5))
                let alpha = (row * size + column) * 4 + 3
                picture.rgba[alpha] = UInt8((Double(rgba[alpha]) * coverage).rounded())
            }
        }
        return picture
    }

    /// Scales by libwebp, which weighs each pixel by its alpha.
    private init(
        scaling pixels: ArraySlice<UInt8>,
        side: Int,
        rowLength: Int,
        to size: Int
    ) throws(BitmapError) {
        var picture = WebPPicture()
        // It fails for a library of another major version only, which has another name for the linker.
        _ = WebPPictureInit(&picture)
        defer { WebPPictureFree(&picture) }
        picture.use_argb = 1
        picture.width = Int32(side)
        picture.height = Int32(side)
        let isImported = pixels.withUnsafeBufferPointer {
            WebPPictureImportRGBA(&picture, $0.baseAddress, Int32(rowLength)) != 0
        }
        guard isImported, WebPPictureRescale(&picture, Int32(size), Int32(size)) != 0, let rows = picture.argb
        else { throw .outOfMemory }
        var rgba: [UInt8] = []
        rgba.reserveCapacity(size * size * 4)
        for row in 0..<size {
            for column in 0..<size {
                let pixel = rows[row * Int(picture.argb_stride) + column]
                rgba += [16, 8, 0, 24].map { UInt8(truncatingIfNeeded: pixel >> $0) }
            }
        }
        (self.size, self.rgba) = (size, rgba)
    }
}

package enum BitmapError: Error, Equatable, CustomStringConvertible {
    case unknownFormat
    case malformed
    case tooLarge(width: Int, height: Int)
    /// It would take much longer to decode than a picture of its size needs.
    case tooComplex
    /// The decoder's reason.
    case undecodable(String)
    case outOfMemory

    package var description: String {
        switch self {
        case .unknownFormat: "the file is neither PNG, JPEG nor WebP"
        case .malformed: "the file is broken"
        case .tooLarge(let width, let height):
            "it has \(width) by \(height) pixels, more than \(Bitmap.sideLimit) a side"
        case .tooComplex: "the picture has too many parts"
        case .undecodable(let reason): "the picture cannot be decoded: \(reason)"
        case .outOfMemory: "there is no memory for the picture"
        }
    }
}
