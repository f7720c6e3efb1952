package import EventLoop

/// Maintains a connection to a bus: reconnects after a loss, and waits for a bus that is not running yet,
/// without a wake-up where the bus has no socket. Dropping it ends the connection and all attempts.
@EventLoop
package final class Bus {
    package enum Event {
        /// A new connection. Subscriptions, names and objects of an earlier one are gone and must be created
        /// again. Its ``BusConnection/onLost`` belongs to the bus.
        case connected(BusConnection)
        /// The connection is lost, or the first attempt failed. Reported once, not for each further attempt.
        case disconnected(BusError)
    }

    /// The current connection.
    package private(set) var connection: BusConnection?

    private static let timeout = Duration.seconds(5)

    private let address: BusAddress
    private let handler: @EventLoop (Event) -> Void
    private var reconnectDelay = ReconnectDelay()
    private var isLossReported = false
    private lazy var retry = TimerSource { [weak self] in self?.open() }
    /// Set while the socket of the bus does not exist.
    private var socketWatch: FileWatch?

    /// The handler is called in later iterations of the loop, never before this returns.
    package init(_ address: BusAddress, handler: @escaping @EventLoop (Event) -> Void) {
        self.address = address
        self.handler = handler
        retry.arm(after: .zero)
    }

    isolated deinit { connection?.close() }

    private func open() {
        BusConnection.open(address, timeout: Self.timeout) { [weak self] result in
            switch result {
            // If the bus is gone, the connection is dropped, which closes it.
            case .success(let opening): self?.opened(opening)
            case .failure(let error): self?.failed(error)
            }
        }
    }

    private func opened(_ opening: BusConnection) {
        connection = opening
        reconnectDelay.connected(at: .now)
        isLossReported = false
        opening.onLost = { [weak self] error in
            self?.connection = nil
            self?.failed(error)
        }
        handler(.connected(opening))
    }

    private func failed(_ error: BusError) {
        if !waitForSocket() { retry.arm(after: reconnectDelay.next(at: .now)) }
        guard !isLossReported else { return }
        isLossReported = true
        handler(.disconnected(error))
    }

    /// - Returns: True if there is no socket, whose creation is watched then.
    private func waitForSocket() -> Bool {
        guard let path = address.socketPath, FileWatch.target(of: path) != .exists else { return false }
        // Without the watch, attempts find the socket.
        socketWatch = try? FileWatch(path) { [weak self] in self?.socketChanged(path) }
        // It may have been created before it was watched.
        if socketWatch != nil, FileWatch.target(of: path) == .exists { socketWatch = nil }
        return socketWatch != nil
    }

    /// The bus has bound its socket. It listens a moment later, and an attempt before that is followed by
    /// others.
    private func socketChanged(_ path: String) {
        guard socketWatch != nil, FileWatch.target(of: path) == .exists else { return }
        socketWatch = nil
        retry.arm(after: reconnectDelay.next(at: .now))
    }
}

extension Bus {
    /// The delay before the next attempt to connect.
    struct ReconnectDelay {
        /// A connection that lasts this long counts as a success. A bus that accepts connections and drops
        /// them immediately must not reset the delay.
        private static let stableAfter = Duration.seconds(5)
        /// The limit after a loss. Any peer can end our connection again and again, with a signal that is too
        /// large; the bus itself is running then, and no peer may keep us away from it for longer than this.
        private static let limitAfterLoss = Duration.seconds(1)

        private var backOff = BackOff()
        private var connectedSince: MonotonicInstant?

        mutating func connected(at now: MonotonicInstant) { connectedSince = now }

        /// The delay after a loss or a failed attempt.
        mutating func next(at now: MonotonicInstant) -> Duration {
            guard let since = connectedSince else { return backOff.next() }
            connectedSince = nil
            if now - since > Self.stableAfter { backOff.reset() }
            return min(backOff.next(), Self.limitAfterLoss)
        }
    }
}
