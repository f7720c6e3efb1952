public import EventLoop

/// Keeps a connection to a bus: opens it again after a loss, and waits for a bus that is not there yet.
@EventLoop
public final class Bus {
    public enum Event {
        /// A new connection. Subscriptions, names and objects of an earlier one are gone; make them anew.
        /// Its ``BusConnection/lost`` belongs to the bus.
        case connected(BusConnection)
        /// The connection is lost, or the first attempt failed. Told once, not for each further attempt.
        case disconnected(BusError)
    }

    /// The present connection.
    public private(set) var connection: BusConnection?

    /// How long a connection has to last to count as a success.
    private static let steadyAfter = Duration.seconds(5)

    private let address: BusAddress
    private let handler: @EventLoop (Event) -> Void
    private var backOff = BackOff()
    private var connectedSince: MonotonicInstant?
    private var isTold = false
    private var isClosed = false
    private lazy var retry = TimerSource { [weak self] in self?.open() }

    /// - Parameters:
    ///   - address: Which bus.
    ///   - handler: Called in later turns of the loop, never before this returns.
    public init(_ address: BusAddress, handler: @escaping @EventLoop (Event) -> Void) {
        self.address = address
        self.handler = handler
        retry.arm(after: .zero)
    }

    isolated deinit { close() }

    /// Ends the connection and all attempts. The handler is not called again.
    public func close() {
        isClosed = true
        retry.disarm()
        connection?.close()
        connection = nil
    }

    private func open() {
        do throws(BusError) {
            let opening = try BusConnection(connecting: address)
            opening.hello(timeout: .seconds(5)) { [weak self] result in
                switch result {
                case .success: self?.opened(opening)
                case .failure(let error): self?.failed(error)
                }
            }
        } catch {
            failed(error)
        }
    }

    private func opened(_ opening: BusConnection) {
        guard !isClosed else { return opening.close() }
        connection = opening
        connectedSince = .now
        isTold = false
        opening.lost = { [weak self] error in
            self?.connection = nil
            self?.failed(error)
        }
        handler(.connected(opening))
    }

    private func failed(_ error: BusError) {
        guard !isClosed else { return }
        // A bus that accepts and drops at once is no reason to start over with the shortest delay.
        if let connectedSince, .now - connectedSince > Self.steadyAfter { backOff.reset() }
        connectedSince = nil
        retry.arm(after: backOff.next())
        guard !isTold else { return }
        isTold = true
        handler(.disconnected(error))
    }
}
