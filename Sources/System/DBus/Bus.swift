package import EventLoop

/// Keeps a connection to a bus: opens it again after a loss, and waits for a bus that is not there yet.
@EventLoop
package final class Bus {
    package enum Event {
        /// A new connection. Subscriptions, names and objects of an earlier one are gone; make them anew.
        /// Its ``BusConnection/onLost`` belongs to the bus.
        case connected(BusConnection)
        /// The connection is lost, or the first attempt failed. Told once, not for each further attempt.
        case disconnected(BusError)
    }

    /// The present connection.
    package private(set) var connection: BusConnection?

    private static let timeout = Duration.seconds(5)

    private let address: BusAddress
    private let handler: @EventLoop (Event) -> Void
    private var patience = Patience()
    private var isTold = false
    private var isClosed = false
    private lazy var retry = TimerSource { [weak self] in self?.open() }

    /// - Parameters:
    ///   - address: Which bus.
    ///   - handler: Called in later turns of the loop, never before this returns.
    package init(_ address: BusAddress, handler: @escaping @EventLoop (Event) -> Void) {
        self.address = address
        self.handler = handler
        retry.arm(after: .zero)
    }

    isolated deinit { close() }

    /// Ends the connection and all attempts. The handler is not called again.
    package func close() {
        isClosed = true
        retry.disarm()
        connection?.close()
        connection = nil
    }

    private func open() {
        BusConnection.connect(to: address, timeout: Self.timeout) { [weak self] result in
            switch result {
            // Without this it is dropped, which closes it.
            case .success(let opening): self?.greet(opening)
            case .failure(let error): self?.failed(error)
            }
        }
    }

    private func greet(_ opening: BusConnection) {
        opening.hello(timeout: Self.timeout) { [weak self] result in
            switch result {
            case .success: self?.opened(opening)
            case .failure(let error): self?.failed(error)
            }
        }
    }

    private func opened(_ opening: BusConnection) {
        guard !isClosed else { return opening.close() }
        connection = opening
        patience.connected(at: .now)
        isTold = false
        opening.onLost = { [weak self] error in
            self?.connection = nil
            self?.failed(error)
        }
        handler(.connected(opening))
    }

    private func failed(_ error: BusError) {
        guard !isClosed else { return }
        retry.arm(after: patience.delay(at: .now))
        guard !isTold else { return }
        isTold = true
        handler(.disconnected(error))
    }
}

extension Bus {
    /// How long to wait before the next attempt.
    struct Patience {
        /// How long a connection has to last to count as a success: a bus that accepts and drops at once is no reason to
        /// start over with the shortest delay.
        private static let steadyAfter = Duration.seconds(5)
        /// Anybody on the bus can end our connection, with a signal that is too large, again and again. The bus is there
        /// then, and nobody shall keep us from it for longer.
        private static let limitWhileThere = Duration.seconds(1)

        private var backOff = BackOff()
        private var connectedSince: MonotonicInstant?

        mutating func connected(at now: MonotonicInstant) { connectedSince = now }

        /// After a loss or an attempt in vain.
        mutating func delay(at now: MonotonicInstant) -> Duration {
            guard let since = connectedSince else { return backOff.next() }
            connectedSince = nil
            if now - since > Self.steadyAfter { backOff.reset() }
            return min(backOff.next(), Self.limitWhileThere)
        }
    }
}
