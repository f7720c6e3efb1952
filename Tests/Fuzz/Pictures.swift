// The path of each byte of a picture up to a decoder of gdk-pixbuf: what its header asks for, and what is
// decoded of it.
//
// system CGdkPixbuf: gdk-pixbuf-2.0
// module Pixbuf: Sources/System/Pixbuf/*.swift
// longest 262144
// seed GIF89a\001\000\001\000\000\000\000\041\376|x|x

@testable import Pixbuf

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    do throws(PixbufError) {
        let file = try PictureFile(bytes)
        precondition(file.width >= 0 && file.height >= 0, "A negative size")
        precondition(file.bytes.count <= bytes.count + 1, "More to decode than was received")
    } catch {
        precondition(!error.description.isEmpty, "An error without a reason")
    }
    return 0
}
