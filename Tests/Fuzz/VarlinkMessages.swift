// The path of each byte that a peer sends: frames, JSON, headers, parameters.
//
// module JSON: Sources/System/JSON/*.swift
// module Varlink: Sources/System/Varlink/MessageSplitter.swift Sources/System/Varlink/VarlinkLimits.swift Sources/System/Varlink/VarlinkMessage.swift
// longest 1048579
// seed \377{"method":"a.b.C","parameters":{"name":"|x|"}}\0

import JSON
import Varlink

private struct Parameters: Codable, Equatable {
    enum Kind: String, Codable { case button, headset }
    enum Change: Codable, Equatable {
        case began(source: String, at: Int64)
        case ended
    }

    var name: String
    var kind: Kind?
    var level: Double?
    var bytes: [UInt8]?
    var inner: [String: Bool]?
    var change: Change?
}

/// The first byte is the size of the pieces in which the others arrive.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let size = input.first, size > 0 else { return 0 }
    var decoder = MessageSplitter()
    var rest = input.dropFirst()
    do {
        while !rest.isEmpty {
            let piece = rest.prefix(Int(size))
            rest = rest.dropFirst(Int(size))
            feed(piece, to: &decoder)
            while let message = try decoder.next() { check(message) }
        }
    } catch {
        // Most random bytes are not messages; they must be rejected without a trap.
    }
    return 0
}

private func feed(_ piece: Slice<UnsafeBufferPointer<UInt8>>, to decoder: inout MessageSplitter) {
    var unread = piece
    while !unread.isEmpty {
        decoder.fill { room in
            let count = min(room.count, unread.count)
            room.copyBytes(from: unread.prefix(count))
            unread = unread.dropFirst(count)
            return count
        }
    }
}

private func check(_ message: JSON) {
    // What was read can be written, and reads the same.
    guard let again = try? JSON(parsing: message.text), again == message else {
        preconditionFailure("Does not survive writing: \(message.text)")
    }
    let call = try? CallMessage(message)
    let reply = try? ReplyMessage(message)
    let parameters = call?.parameters ?? (try? reply?.result.get()) ?? message.object
    for unknownKeys in [JSON.UnknownKeys.refused, .ignored] {
        guard let value = try? parameters?.decode(Parameters.self, unknownKeys: unknownKeys) else { continue }
        guard let back = try? JSON.encoding(value).decode(Parameters.self), back == value else {
            preconditionFailure("Does not survive encoding: \(value)")
        }
    }
}
