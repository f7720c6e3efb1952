import Glibc

extension OutputQueue {
    /// Sends as much as the socket takes now.
    ///
    /// - Returns: Why it will never take more, as `errno` has it; nil if it may.
    mutating func send(to descriptor: Int32) -> Int32? {
        while !isEmpty {
            let sent = withUnsent {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if sent >= 0 {
                remove(sent)
            } else if errno == EAGAIN {
                return nil
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
