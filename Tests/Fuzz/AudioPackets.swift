// What an application sends in addition to its calls: packets on the audio socket, and pictures.
//
// module PTTMessages: Sources/Core/PTTMessages/*.swift
// longest 349528
// seed iVBORw0KGgo|A|A

@testable import PTTMessages

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let header = AudioPacketHeader(input)
    precondition((header == nil) == (input.count < AudioPacketHeader.size), "A header of too few bytes")
    if let header {
        precondition(header.bytes == Array(input.prefix(AudioPacketHeader.size)), "Another header: \(header)")
    }
    let text = String(decoding: input, as: UTF8.self)
    if let bytes = Base64.decode(text) {
        // The last digit of a padded group has unused bits.
        let isPadded = text.utf8.last == UInt8(ascii: "=")
        precondition(isPadded || Base64.encode(bytes) == text, "Another text")
        precondition(Base64.decode(Base64.encode(bytes)) == bytes, "Other bytes")
    }
    precondition(Base64.decode(Base64.encode(input)) == input, "Does not survive base64")
    if let image = try? Image(input) {
        guard let again = try? Image(base64: image.base64), again == image, again.summary == image.summary
        else {
            preconditionFailure("A picture does not survive")
        }
    }
    return 0
}
