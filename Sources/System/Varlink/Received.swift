import Glibc

/// The result of one `recvmsg(2)`.
enum Received: Equatable {
    case bytes(Int)
    /// Nothing has arrived yet.
    case nothing
    /// The peer has closed.
    case end
    /// The message had file descriptors, which Varlink does not have; the kernel has closed them already.
    case descriptors
    case failed(Int32)

    /// Returns true if the peer has closed. Reads nothing.
    static func isEnd(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) == 0
    }

    /// Receives without a control buffer: the kernel then closes passed descriptors itself and sets
    /// `MSG_CTRUNC` (unix(7)), so that they never enter this process.
    init(from descriptor: Int32, into room: UnsafeMutableRawBufferPointer) {
        var vector = iovec(iov_base: room.baseAddress, iov_len: room.count)
        var message = msghdr()
        let count = withUnsafeMutablePointer(to: &vector) { vector in
            message.msg_iov = vector
            message.msg_iovlen = 1
            return recvmsg(descriptor, &message, Int32(MSG_DONTWAIT))
        }
        if message.msg_flags & Int32(MSG_CTRUNC) != 0 {
            self = .descriptors
        } else if count > 0 {
            self = .bytes(count)
        } else if count == 0 {
            self = .end
        } else {
            self = errno == EAGAIN || errno == EINTR ? .nothing : .failed(errno)
        }
    }
}
