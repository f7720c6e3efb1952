import CLinux
import Glibc

/// Calls on Unix domain sockets. All descriptors are close-on-exec and non-blocking.
package enum UnixSocket {
    package enum Kind: Sendable {
        /// Bytes in order (`SOCK_STREAM`).
        case stream
        /// Whole packets in order (`SOCK_SEQPACKET`).
        case packets

        var type: Int32 {
            switch self {
            case .stream: Int32(SOCK_STREAM.rawValue)
            case .packets: Int32(SOCK_SEQPACKET.rawValue)
            }
        }
    }

    package struct PeerCredentials: Sendable, Equatable {
        /// For display only: it may have been reused, or be that of another PID namespace.
        package let processID: Int32
        package let userID: UInt32
    }

    /// Binds and listens at a path of at most 107 bytes (unix(7)). The file gets mode 0600, and replaces one
    /// without a listener.
    ///
    /// - Throws: `EADDRINUSE` if another process is listening there.
    package static func listen(at path: String, _ kind: Kind) throws(SystemError) -> OwnedDescriptor {
        let action = "listen on \(path)"
        let descriptor = try open(kind, action)
        if try bind(descriptor.value, path) == EADDRINUSE {
            guard isAbandoned(path, kind) else { throw SystemError(action, EADDRINUSE) }
            // If it cannot be removed, the second attempt fails.
            _ = unlink(path)
            let second = try bind(descriptor.value, path)
            guard second == 0 else { throw SystemError(action, second) }
        }
        // The longest queue that the kernel allows, as in systemd's sockets: a client that finds it full is
        // refused.
        guard chmod(path, 0o600) == 0, Glibc.listen(descriptor.value, .max) == 0 else {
            throw SystemError(action)
        }
        return descriptor
    }

    /// Connects to `path`. A Unix socket connects immediately or fails.
    package static func connect(to path: String, _ kind: Kind) throws(SystemError) -> OwnedDescriptor {
        let descriptor = try open(kind, "connect to \(path)")
        let result = try withAddress(path) { Glibc.connect(descriptor.value, $0, $1) }
        guard result == 0 else { throw SystemError("connect to \(path)") }
        return descriptor
    }

    /// Accepts one waiting peer, or returns nil if there is none.
    package static func accept(_ listening: Int32) throws(SystemError) -> OwnedDescriptor? {
        let descriptor = clinux_accept(listening)
        if descriptor >= 0 { return OwnedDescriptor(adopting: descriptor) }
        switch errno {
        // The peer has already disconnected, or there was none: accept(2) lists these as "try again".
        case EAGAIN, ECONNABORTED, EINTR: return nil
        default: throw SystemError("accept a connection")
        }
    }

    /// Two sockets that are connected to each other, for tests and for passing one to a child process. The
    /// caller closes both.
    package static func pair(_ kind: Kind) throws(SystemError) -> (Int32, Int32) {
        var descriptors: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutablePointer(to: &descriptors) { pointer in
            pointer.withMemoryRebound(to: Int32.self, capacity: 2) { socketpair(AF_UNIX, type(kind), 0, $0) }
        }
        guard result == 0 else { throw SystemError("make a pair of sockets") }
        return descriptors
    }

    /// The credentials of the peer when it connected, from the kernel. Authorise by user only.
    package static func peerCredentials(_ descriptor: Int32) throws(SystemError) -> PeerCredentials {
        var credentials = clinux_peer_credentials()
        var size = socklen_t(MemoryLayout<clinux_peer_credentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else {
            throw SystemError("read the peer's credentials")
        }
        return PeerCredentials(processID: credentials.pid, userID: credentials.uid)
    }

    private static func type(_ kind: Kind) -> Int32 {
        kind.type | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    }

    private static func open(_ kind: Kind, _ action: String) throws(SystemError) -> OwnedDescriptor {
        let descriptor = socket(AF_UNIX, type(kind), 0)
        guard descriptor >= 0 else { throw SystemError(action) }
        return OwnedDescriptor(adopting: descriptor)
    }

    /// - Returns: 0 or `EADDRINUSE`; every other error is thrown.
    private static func bind(_ descriptor: Int32, _ path: String) throws(SystemError) -> Int32 {
        let result = try withAddress(path) { Glibc.bind(descriptor, $0, $1) }
        guard result != 0 else { return 0 }
        guard errno == EADDRINUSE else { throw SystemError("listen on \(path)") }
        return EADDRINUSE
    }

    private static func isAbandoned(_ path: String, _ kind: Kind) -> Bool {
        do throws(SystemError) {
            _ = try connect(to: path, kind)
            return false
        } catch {
            return error.code == ECONNREFUSED
        }
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError("use \(path) as a socket address", ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
