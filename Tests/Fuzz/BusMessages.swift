// The path of each byte that comes over D-Bus and passes libdbus: bodies of messages.
//
// system CDBus: dbus-1
// module EventLoop: Sources/System/EventLoop/OwnedDescriptor.swift
// module DBus: Sources/System/DBus/Bus[DEKMNSV]*.swift Sources/System/DBus/Message*.swift Sources/System/DBus/MethodCall.swift Sources/System/DBus/RemoteInterface.swift
// longest 65536
// seed \002ay\370\377\0\0|x|x

import CDBus

@testable import DBus

/// The first byte is the length of the signature, which comes next; the rest is the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let length = input.first, input.count > Int(length) else { return 0 }
    let bytes = signal(
        signature: Array(input.dropFirst().prefix(Int(length))),
        body: Array(input.dropFirst(Int(length) + 1))
    )
    let text = bytes.withUnsafeBytes { bytes in
        dbus_message_demarshal(bytes.baseAddress, CInt(bytes.count), nil)
    }
    guard let pointer = text else { return 0 }
    let message = BusMessage(adopting: pointer)
    _ = MessageDecoder.firstString(of: message.pointer)
    guard let values = try? MessageDecoder.values(of: message.pointer) else { return 0 }
    check(values)
    return 0
}

/// Values that were read can be written, unless they exceed the limit for sending, and read the same.
private func check(_ values: [BusValue]) {
    let signal = BusSignal(path: "/a", interface: "a.b", member: "C", arguments: values)
    guard let message = try? BusMessage.signal(signal, to: nil) else { return }
    guard let again = try? MessageDecoder.values(of: message.pointer) else {
        preconditionFailure("Cannot be read again: \(values)")
    }
    precondition(
        "\(again)" == "\(values)" || again == values || values.contains { $0.holdsOddNumber },
        "Reads otherwise: \(values)"
    )
}

extension BusValue {
    /// NaN is not equal to itself, and of equal keys of a dictionary the last one counts.
    fileprivate var holdsOddNumber: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .array(_, let elements), .structure(let elements): elements.contains { $0.holdsOddNumber }
        case .dictionary(_, _, let entries):
            entries.contains { $0.key.holdsOddNumber || $0.value.holdsOddNumber }
        case .variant(let inner): inner.holdsOddNumber
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .text, .objectPath,
            .signature,
            .descriptor, .bytes:
            false
        }
    }
}

/// A little-endian signal with this body (D-Bus specification, "Message Format").
private func signal(signature: [UInt8], body: [UInt8]) -> [UInt8] {
    var fields: [UInt8] = []
    func field(_ code: UInt8, type: String, text: [UInt8]) {
        pad(&fields, 8)
        fields += [code, 1] + Array(type.utf8) + [0]
        if type == "g" {
            fields.append(UInt8(truncatingIfNeeded: text.count))
        } else {
            number(&fields, text.count)
        }
        fields += text + [0]
    }
    field(1, type: "o", text: Array("/a".utf8))
    field(2, type: "s", text: Array("a.b".utf8))
    field(3, type: "s", text: Array("C".utf8))
    field(8, type: "g", text: signature)
    var message: [UInt8] = [UInt8(ascii: "l"), 4, 0, 1]
    number(&message, body.count)
    number(&message, 1)
    number(&message, fields.count)
    message += fields
    pad(&message, 8)
    return message + body
}

private func number(_ bytes: inout [UInt8], _ value: Int) {
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
}

private func pad(_ bytes: inout [UInt8], _ boundary: Int) {
    while !bytes.count.isMultiple(of: boundary) { bytes.append(0) }
}
