import CGdkPixbuf

/// A square picture in memory, decoded, scaled and encoded by gdk-pixbuf: red, green, blue and alpha, a byte
/// each, not premultiplied, in rows from the top.
package struct Pixbuf: Equatable, Sendable {
    /// The largest side of a picture that is decoded, in pixels.
    package static let sideLimit = 2048

    /// The number of rows and columns.
    package let size: Int
    package let rgba: [UInt8]

    /// Decodes a PNG, JPEG, GIF or WebP file, and scales the middle of it to a square. Blocks for some
    /// milliseconds.
    ///
    /// - Parameters:
    ///   - bytes: The file. The caller limits their number.
    ///   - size: The number of rows and columns of the result.
    /// - Throws: If the file is none of these, is broken, or asks for more than ``sideLimit``, which is found
    ///   out before memory is allocated for it.
    package init(decoding bytes: [UInt8], size: Int) throws(PixbufError) {
        let file = try Self.checked(bytes)
        let loader = try Loader(file.format)
        let decoded = try loader.decode(file.bytes)
        guard let square = Self.square(of: decoded, size: size) else { throw .outOfMemory }
        defer { g_object_unref(UnsafeMutableRawPointer(square)) }
        try self.init(copying: square)
    }

    /// - Parameters:
    ///   - size: The number of rows and columns.
    ///   - rgba: The pixels. The result is nil unless there are `size * size * 4` bytes.
    package init?(size: Int, rgba: [UInt8]) {
        guard rgba.count == size * size * 4 else { return nil }
        self.size = size
        self.rgba = rgba
    }

    /// Reads the header of a file, and lets no decoder see it.
    ///
    /// - Returns: The name of its format.
    /// - Throws: What ``init(decoding:size:)`` throws for its header.
    package static func format(of bytes: [UInt8]) throws(PixbufError) -> String {
        try checked(bytes).format.rawValue
    }

    /// Loads the code that decodes a format, which gdk-pixbuf may have in files of its own.
    ///
    /// - Parameter format: What ``format(of:)`` returned.
    /// - Throws: If gdk-pixbuf does not have it.
    package static func loadDecoder(of format: String) throws(PixbufError) {
        guard let format = PictureFile.Format(rawValue: format) else { throw .unknownFormat }
        _ = try Loader(format)
    }

    private static func checked(_ bytes: [UInt8]) throws(PixbufError) -> PictureFile {
        let file = try PictureFile(bytes)
        guard 1...Self.sideLimit ~= file.width, 1...Self.sideLimit ~= file.height else {
            throw .tooLarge(width: file.width, height: file.height)
        }
        return file
    }

    private init(copying pixbuf: OpaquePointer) throws(PixbufError) {
        let size = Int(gdk_pixbuf_get_width(pixbuf))
        let stride = Int(gdk_pixbuf_get_rowstride(pixbuf))
        let channels = Int(gdk_pixbuf_get_n_channels(pixbuf))
        guard let pixels = gdk_pixbuf_read_pixels(pixbuf), channels == 3 || channels == 4,
            gdk_pixbuf_get_bits_per_sample(pixbuf) == 8, Int(gdk_pixbuf_get_height(pixbuf)) == size
        else { throw .malformed }
        var rgba: [UInt8] = []
        rgba.reserveCapacity(size * size * 4)
        for row in 0..<size {
            for column in 0..<size {
                let pixel = pixels + row * stride + column * channels
                rgba.append(pixel[0])
                rgba.append(pixel[1])
                rgba.append(pixel[2])
                rgba.append(channels == 4 ? pixel[3] : 0xFF)
            }
        }
        (self.size, self.rgba) = (size, rgba)
    }

    /// The picture in another size.
    package func scaled(to size: Int) throws(PixbufError) -> Pixbuf {
        let result = withObject { Self.square(of: $0, size: size) }
        guard let scaled = result ?? nil else { throw .outOfMemory }
        defer { g_object_unref(UnsafeMutableRawPointer(scaled)) }
        return try Pixbuf(copying: scaled)
    }

    /// The picture as a PNG file.
    package func png() throws(PixbufError) -> [UInt8] {
        let file = withObject { pixbuf -> [UInt8]? in
            var buffer: UnsafeMutablePointer<gchar>?
            var count: gsize = 0
            guard gdk_pixbuf_save_to_bufferv(pixbuf, &buffer, &count, "png", nil, nil, nil) != 0 else {
                return nil
            }
            defer { g_free(buffer) }
            return [UInt8](UnsafeRawBufferPointer(start: buffer, count: Int(count)))
        }
        guard let file = file ?? nil else { throw .outOfMemory }
        return file
    }

    /// The square in the middle of a picture, scaled. The caller owns the result.
    private static func square(of pixbuf: OpaquePointer, size: Int) -> OpaquePointer? {
        let width = gdk_pixbuf_get_width(pixbuf)
        let height = gdk_pixbuf_get_height(pixbuf)
        let side = min(width, height)
        guard
            let middle = gdk_pixbuf_new_subpixbuf(pixbuf, (width - side) / 2, (height - side) / 2, side, side)
        else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(middle)) }
        return gdk_pixbuf_scale_simple(middle, Int32(size), Int32(size), GDK_INTERP_BILINEAR)
    }

    /// Calls `body` with an object over the pixels, which is valid during the call.
    private func withObject<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        rgba.withUnsafeBufferPointer { pixels in
            let pixbuf = gdk_pixbuf_new_from_data(
                pixels.baseAddress,
                GDK_COLORSPACE_RGB,
                1,
                8,
                Int32(size),
                Int32(size),
                Int32(size * 4),
                nil,
                nil
            )
            guard let pixbuf else { return nil }
            defer { g_object_unref(UnsafeMutableRawPointer(pixbuf)) }
            return body(pixbuf)
        }
    }
}

package enum PixbufError: Error, Equatable, CustomStringConvertible {
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
        case .unknownFormat: "the file is neither PNG, JPEG, GIF nor WebP"
        case .malformed: "the file is broken"
        case .tooLarge(let width, let height):
            "the picture has \(width) by \(height) pixels, more than \(Pixbuf.sideLimit) in a row or column"
        case .tooComplex: "the picture has too many parts"
        case .undecodable(let reason): "the picture cannot be decoded: \(reason)"
        case .outOfMemory: "there is no memory for the picture"
        }
    }
}
