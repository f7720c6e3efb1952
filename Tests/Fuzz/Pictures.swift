// The path of each byte of a picture up to a decoder: what its header asks for.
//
// system CPNG: libpng
// system CTurboJPEG: libturbojpeg
// system CWebP: libwebp
// module Bitmap: Sources/System/Bitmap/*.swift
// longest 262144
// seed RIFF\000\000\000\000WEBPVP8X\012\000\000\000\000\000\000\000\001\000\000\001\000\000|x|x

@testable import Bitmap

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    do throws(BitmapError) {
        let file = try PictureFile(bytes)
        precondition(file.width >= 0 && file.height >= 0, "A negative size")
    } catch {
        precondition(!error.description.isEmpty, "An error without a reason")
    }
    return 0
}
