import CPNG
import CTurboJPEG
import CWebP

// Each decodes to red, green, blue and alpha. None is given a file whose header asks for more than
// ``Bitmap/sideLimit``, and none finds its format out by itself.

enum PNG {
    /// PNG_FORMAT_RGBA, a macro of macros that Swift does not import.
    private static let rgba = png_uint_32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)

    static func decode(_ bytes: [UInt8], width: Int, height: Int) throws(BitmapError) -> [UInt8] {
        var image = image()
        defer { png_image_free(&image) }
        guard png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0 else { throw failure(image) }
        // A decoder that reads the header differently must not write beyond the pixels.
        guard image.width == width, image.height == height else { throw .malformed }
        image.format = rgba
        var pixels = [UInt8](repeating: 0, count: width * height * 4)
        guard png_image_finish_read(&image, nil, &pixels, 0, nil) != 0 else { throw failure(image) }
        return pixels
    }

    static func encode(_ pixels: [UInt8], size: Int) throws(BitmapError) -> [UInt8] {
        var image = image()
        defer { png_image_free(&image) }
        (image.width, image.height) = (png_uint_32(size), png_uint_32(size))
        image.format = rgba
        var count = 0
        guard png_image_write_to_memory(&image, nil, &count, 0, pixels, 0, nil) != 0 else {
            throw failure(image)
        }
        var file = [UInt8](repeating: 0, count: count)
        guard png_image_write_to_memory(&image, &file, &count, 0, pixels, 0, nil) != 0 else {
            throw failure(image)
        }
        return file
    }

    private static func image() -> png_image {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        return image
    }

    private static func failure(_ image: png_image) -> BitmapError {
        withUnsafeBytes(of: image.message) {
            .undecodable(String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self))
        }
    }
}

enum JPEG {
    static func decode(_ bytes: [UInt8], width: Int, height: Int) throws(BitmapError) -> [UInt8] {
        guard let decoder = tjInitDecompress() else { throw .outOfMemory }
        // It has nothing to report then.
        defer { _ = tjDestroy(decoder) }
        var pixels = [UInt8](repeating: 0, count: width * height * 4)
        // Without its own reading of the header, it would scale to the size that is given here.
        let status = tjDecompress2(
            decoder,
            bytes,
            UInt(bytes.count),
            &pixels,
            Int32(width),
            Int32(width * 4),
            Int32(height),
            Int32(TJPF_RGBA.rawValue),
            0
        )
        // A warning is a file that ends early, for example: what there is of it is shown.
        guard status == 0 || tjGetErrorCode(decoder) == TJERR_WARNING.rawValue else {
            throw .undecodable(String(cString: tjGetErrorStr2(decoder)))
        }
        return pixels
    }
}

enum WebP {
    static func decode(_ bytes: [UInt8], width: Int, height: Int) throws(BitmapError) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: width * height * 4)
        // It fails where the picture is larger than the space for it.
        let isDecoded = WebPDecodeRGBAInto(bytes, bytes.count, &pixels, pixels.count, Int32(width) * 4) != nil
        guard isDecoded else { throw .malformed }
        return pixels
    }
}
