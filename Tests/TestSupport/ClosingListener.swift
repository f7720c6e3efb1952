package import EventLoop
import Glibc

/// Accepts each connection and closes it, as a daemon that fails at its start does where systemd listens for
/// it.
@EventLoop
package final class ClosingListener {
    /// The time of each connection.
    package nonisolated let connections = AsyncQueue(of: MonotonicInstant.self)

    private let path: String
    private let listening: OwnedDescriptor
    private var source: DescriptorSource?

    /// - Parameter path: Of the socket. A socket that no process listens on is replaced.
    /// - Throws: If another process listens there.
    package init(at path: String) throws {
        self.path = path
        listening = try UnixSocket.listen(at: path, .stream)
        source = try DescriptorSource(listening.value, .readable) { [weak self] _ in
            self?.accept()
        }
    }

    // Before the descriptor closes with this object.
    isolated deinit { source?.cancel() }

    private func accept() {
        // A client that has gone again made its attempt nevertheless.
        _ = try? UnixSocket.accept(listening.value)
        connections.add(.now)
    }

    /// Waits until the clients' delay between two attempts is longer than this.
    ///
    /// - Returns: The time of the last attempt.
    package func attempts(areApartBy limit: Duration) async throws -> MonotonicInstant {
        var last = try await connections.next()
        return try await connections.firstValue { next in
            defer { last = next }
            return next - last > limit ? next : nil
        }
    }

    /// Removes the socket.
    package func close() {
        source = nil
        _ = unlink(path)
    }
}
