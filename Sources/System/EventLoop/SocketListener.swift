/// Accepts connections on a listening socket.
@EventLoop
package final class SocketListener {
    /// Receives each accepted descriptor and owns it, or an error.
    package typealias Handler = @EventLoop (Result<Int32, SystemError>) -> Void

    private let descriptor: OwnedDescriptor
    private let handler: Handler
    private var source: DescriptorSource?
    private lazy var retry = TimerSource { [weak self] in self?.source?.interest = .readable }

    /// A failed `accept` leaves the socket readable: without a pause the loop would call again immediately.
    private static let retryTime = Duration.seconds(1)

    /// Accepts on a socket that does not block, as those of ``UnixSocket`` and ``ActivatedSocket``: a peer
    /// may disconnect before it is accepted.
    ///
    /// - Throws: If the descriptor cannot be watched.
    package init(_ descriptor: consuming OwnedDescriptor, handler: @escaping Handler) throws(SystemError) {
        self.descriptor = descriptor
        self.handler = handler
        source = try DescriptorSource(self.descriptor.value, .readable, priority: .idle) { [weak self] _ in
            self?.accept()
        }
    }

    // Before the descriptor closes with this object: the service manager may have a copy of it.
    isolated deinit { source?.cancel() }

    /// Accepts one peer in each turn of the loop: then a connection that was closed before this one was made
    /// has ended before its first message is handled, also if both are of one client that waits for neither.
    private func accept() {
        do throws(SystemError) {
            guard let accepted = try UnixSocket.accept(descriptor.value) else { return }
            handler(.success(accepted.release()))
        } catch {
            handler(.failure(error))
            source?.interest = []
            retry.arm(after: Self.retryTime)
        }
    }
}
