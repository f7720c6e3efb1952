package import EventLoop
import Glibc

/// A client of a bus that writes its messages byte by byte, so that it can send what no library would.
///
/// Its calls block for the moment that a bus of the test's own needs, and fail with one that hangs.
@EventLoop
package final class RawBusPeer {
    private let descriptor: OwnedDescriptor
    private var serial: UInt32 = 0

    /// - Parameter address: `unix:path=…`.
    /// - Throws: If it cannot connect.
    package init(_ address: String) throws {
        descriptor = try UnixSocket.connect(to: String(address.dropFirst("unix:path=".count)), .stream)
        // None of these can fail on a socket.
        _ = fcntl(descriptor.value, F_SETFL, fcntl(descriptor.value, F_GETFL) & ~O_NONBLOCK)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            let size = socklen_t(MemoryLayout<timeval>.size)
            _ = setsockopt(descriptor.value, SOL_SOCKET, option, &limit, size)
        }
        let user = String(getuid()).utf8.map { "3\(Character(Unicode.Scalar($0)))" }.joined()
        try write([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8))
        // "OK", the identifier of the bus, and the end of the line.
        var answer = [UInt8](repeating: 0, count: 64)
        guard read(descriptor.value, &answer, answer.count) > 2 else { throw SystemError("authenticate") }
        let bus = "org.freedesktop.DBus"
        try write(Array("BEGIN\r\n".utf8))
        try send(type: 1, path: "/org/freedesktop/DBus", interface: bus, member: "Hello", to: bus)
    }

    /// Sends a signal to one peer. The body is marshalled already, in little-endian order, and has the given
    /// signature.
    ///
    /// - Throws: If the bus has ended the connection.
    package func signal(
        path: String,
        interface: String,
        member: String,
        to destination: String,
        signature: String,
        body: [UInt8]
    ) throws {
        try send(
            type: 4,
            path: path,
            interface: interface,
            member: member,
            to: destination,
            signature: signature,
            body: body
        )
    }

    private func send(
        type: UInt8,
        path: String,
        interface: String,
        member: String,
        to destination: String,
        signature: String = "",
        body: [UInt8] = []
    ) throws {
        serial += 1
        var fields: [UInt8] = []
        for (code, kind, text) in [
            (1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination),
        ] {
            fields.pad(to: 8)
            fields += [UInt8(code), 1] + Array(kind.utf8) + [0]
            fields += bytes(UInt32(text.utf8.count)) + Array(text.utf8) + [0]
        }
        if !signature.isEmpty {
            fields.pad(to: 8)
            fields +=
                [8, 1] + Array("g".utf8) + [0, UInt8(signature.utf8.count)] + Array(signature.utf8) + [0]
        }
        var message: [UInt8] = [UInt8(ascii: "l"), type, 0, 1]
        message += bytes(UInt32(body.count)) + bytes(serial) + bytes(UInt32(fields.count)) + fields
        message.pad(to: 8)
        try write(message)
        try write(body)
    }

    private func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor.value, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SystemError("send to the bus") }
            rest = rest.dropFirst(count)
        }
    }
}

/// In little-endian order.
private func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}

extension [UInt8] {
    fileprivate mutating func pad(to alignment: Int) {
        while !count.isMultiple(of: alignment) { append(0) }
    }

    /// A marshalled `ay` of so many bytes.
    package static func marshalledBytes(_ count: Int) -> [UInt8] {
        bytes(UInt32(count)) + [UInt8](repeating: 0, count: count)
    }
}
