import Glibc

/// Writes to a descriptor that may be shared with other processes, without waiting for its reader, and
/// without the signal that ends a process whose reader has gone.
///
/// The descriptor itself stays as it is: `O_NONBLOCK` would affect all processes that share it.
package enum ImmediateOutput {
    /// - Returns: How many of the bytes were written; 0 if there is no room now.
    /// - Throws: `EPIPE` if the reader has gone; `ENOSPC`, `EBADF` and others if nothing can be written
    ///   there.
    package static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int {
        guard !bytes.isEmpty else { return 0 }
        var status = stat()
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fstat(descriptor, &status) == 0 else { throw SystemError("write") }
        // Another open file of it, below, would be for writing.
        guard flags & O_ACCMODE != O_RDONLY else { throw SystemError("write", EBADF) }
        while true {
            let (count, code) = bytes.withUnsafeBytes { attempt($0, descriptor, status.st_mode & S_IFMT) }
            if count >= 0 { return count }
            switch code {
            case EINTR: continue
            case EAGAIN: return 0
            default: throw SystemError("write", code)
            }
        }
    }

    /// The result of write(2), and its `errno`.
    private typealias Attempt = (count: Int, code: Int32)

    private static func attempt(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32, _ kind: mode_t)
        -> Attempt
    {
        switch kind {
        case S_IFSOCK:
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            return (send(descriptor, bytes.baseAddress, bytes.count, flags), errno)
        case S_IFIFO, S_IFCHR:
            // Another open file of the same pipe or terminal, which alone does not block. It is not kept: the
            // program may replace the descriptor, and the reader waits until all open files are closed.
            let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            let own = open("/proc/self/fd/\(descriptor)", flags)
            // A pipe without a reader (open(2)), or a terminal of another user, no /proc, no descriptor left.
            guard own >= 0 else { return errno == ENXIO ? (-1, EPIPE) : attemptIfReady(bytes, descriptor) }
            defer { close(own) }
            return withoutSignal { (Glibc.write(own, bytes.baseAddress, bytes.count), errno) }
        default:
            // Files do not wait for a reader.
            return withoutSignal { (Glibc.write(descriptor, bytes.baseAddress, bytes.count), errno) }
        }
    }

    /// Waits only if another process takes the room in between.
    private static func attemptIfReady(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32) -> Attempt {
        var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&readiness, 1, 0) == 1, readiness.revents & Int16(POLLOUT) != 0 else {
            return (-1, EAGAIN)
        }
        return withoutSignal {
            (Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF))), errno)
        }
    }

    /// `SIGPIPE` is sent to the thread that writes (pipe(7)). A library must neither let it end the
    /// application nor change what the process does with it.
    private static func withoutSignal(_ body: () -> Attempt) -> Attempt {
        var signal = sigset_t()
        var earlier = sigset_t()
        var pending = sigset_t()
        sigemptyset(&signal)
        sigaddset(&signal, SIGPIPE)
        sigpending(&pending)
        pthread_sigmask(SIG_BLOCK, &signal, &earlier)
        let result = body()
        if result.count < 0, result.code == EPIPE, sigismember(&pending, SIGPIPE) == 0 {
            var now = timespec()
            // An error means that the process ignores the signal.
            _ = sigtimedwait(&signal, nil, &now)
        }
        pthread_sigmask(SIG_SETMASK, &earlier, nil)
        return result
    }
}
