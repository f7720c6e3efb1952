import Glibc

extension OutputQueue {
    /// Sends as much as the socket accepts now.
    ///
    /// - Returns: The `errno` of an error after which nothing more can be sent, or nil.
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
