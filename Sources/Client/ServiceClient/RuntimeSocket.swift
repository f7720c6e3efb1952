package import EventLoop
import Glibc

/// The sockets of push-to-talk, all in `$XDG_RUNTIME_DIR/pushtotalk`, which no other user can access.
package enum RuntimeSocket: String, Sendable, CaseIterable {
    /// `pttd`, Varlink.
    case core
    /// `pttd`, packets of audio.
    case audio
    /// `ptt-accessoryd`, Varlink.
    case accessory
    /// `ptt-actions`, Varlink.
    case actions

    /// - Throws: ``NoRuntimeDirectory`` outside a login session.
    package var path: String {
        get throws(NoRuntimeDirectory) { try Self.directory() + "/" + rawValue }
    }

    /// Uses the socket that systemd passed, or creates it.
    ///
    /// - Parameter activated: All sockets that systemd passed.
    /// - Returns: The listening socket.
    /// - Throws: ``NoRuntimeDirectory``, or ``SystemError`` with `EADDRINUSE` if another daemon listens
    ///   already.
    package func listen(_ activated: [ActivatedSocket]) throws -> OwnedDescriptor {
        if let passed = activated.first(where: { $0.isSocket(kind) }) {
            return OwnedDescriptor(adopting: passed.descriptor)
        }
        let directory = try Self.directory()
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw SystemError("create \(directory)")
        }
        return try UnixSocket.listen(at: try path, kind)
    }

    private var kind: UnixSocket.Kind {
        switch self {
        case .core, .accessory, .actions: .stream
        case .audio: .packets
        }
    }

    /// The directory of all sockets.
    ///
    /// - Throws: ``NoRuntimeDirectory`` outside a login session.
    package static func directory() throws(NoRuntimeDirectory) -> String {
        guard let directory = Environment.variable("XDG_RUNTIME_DIR") else { throw NoRuntimeDirectory() }
        return directory + "/pushtotalk"
    }
}

/// `XDG_RUNTIME_DIR` is not set.
package struct NoRuntimeDirectory: Error, Equatable, CustomStringConvertible {
    package var description: String {
        "XDG_RUNTIME_DIR is not set: run this in a login session of the user, or set it to /run/user/$(id -u)"
    }
}
