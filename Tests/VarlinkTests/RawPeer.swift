import EventLoop
import Glibc
import TestSupport

/// One end of a connection, which sends bytes as they are and reads only on request.
@EventLoop
final class RawPeer {
    private let descriptor: OwnedDescriptor
    private var reading: DescriptorSource?
    private var partial: [UInt8] = []
    private let messages = AsyncQueue(of: String?.self)

    init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    // Before the descriptor closes with this object.
    isolated deinit { reading?.cancel() }

    /// A peer, and the other end of its connection.
    static func pair() throws -> (RawPeer, Int32) {
        let (near, far) = try UnixSocket.pair(.stream)
        return (RawPeer(OwnedDescriptor(adopting: near)), far)
    }

    func send(_ bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        guard Glibc.send(descriptor.value, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw SystemError("send all bytes")
        }
    }

    /// Sends texts, each with its NUL byte.
    func send(_ texts: String...) throws { try send(texts) }

    func send(_ texts: [String]) throws {
        try send(texts.flatMap { Array($0.utf8) + [0] })
    }

    /// Accepts no more input, without notifying the other end.
    func stopReading() { _ = shutdown(descriptor.value, Int32(SHUT_RD)) }

    /// Sends bytes until the socket is full.
    func sendAsMuchAsPossible(_ text: String) -> Int {
        let bytes = Array(text.utf8) + [0]
        var count = 0
        while Glibc.send(descriptor.value, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count {
            count += 1
        }
        return count
    }

    /// Sends a byte with a file descriptor.
    func send(_ byte: UInt8, passing passed: Int32) throws {
        var byte = byte
        let length = MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size
        let control = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer { control.deallocate() }
        var header = cmsghdr()
        header.cmsg_len = length
        header.cmsg_level = SOL_SOCKET
        header.cmsg_type = Int32(SCM_RIGHTS)
        control.storeBytes(of: header, as: cmsghdr.self)
        control.storeBytes(of: passed, toByteOffset: MemoryLayout<cmsghdr>.size, as: Int32.self)
        let sent = withUnsafeMutablePointer(to: &byte) { byte in
            var vector = iovec(iov_base: byte, iov_len: 1)
            return withUnsafeMutablePointer(to: &vector) { vector in
                var message = msghdr()
                message.msg_iov = vector
                message.msg_iovlen = 1
                message.msg_control = control.baseAddress
                message.msg_controllen = length
                return sendmsg(descriptor.value, &message, 0)
            }
        }
        guard sent == 1 else { throw SystemError("pass a descriptor") }
    }

    /// The next message, or nil if the other end has closed.
    func next() async throws -> String? {
        if reading == nil {
            reading = try DescriptorSource(descriptor.value, .readable) { [unowned self] _ in read() }
        }
        return try await messages.next()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor.value, &buffer, buffer.count, 0)
        guard count > 0 else {
            reading?.cancel()
            return messages.add(nil)
        }
        partial += buffer[..<count]
        while let end = partial.firstIndex(of: 0) {
            messages.add(String(decoding: partial[..<end], as: UTF8.self))
            partial.removeSubrange(...end)
        }
    }
}
