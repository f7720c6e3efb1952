package import EventLoop

/// The user's audio server, PipeWire or PulseAudio, over one connection that reconnects after a loss.
///
/// While connected and without streams, it causes no wake-ups. While disconnected, it reconnects when the server's
/// socket is created, and with a back-off from 100 ms to 5 s until ``close()`` is called: each attempt is one wake-up.
/// To avoid these, connect only while audio is needed, which takes some milliseconds. It never starts a server.
@EventLoop
package final class AudioServer {
    package enum State: Sendable, Equatable {
        /// Neither connected nor trying to be.
        case closed
        /// The first attempt after ``connect()`` is in progress.
        case connecting
        /// Streams can be opened. The name is the server's, for people.
        case ready(serverName: String)
        /// There is no connection; further attempts are not reported until one succeeds. All streams have failed before.
        case lost(reason: String)
    }

    package private(set) var state = State.closed
    /// Called after each change of ``state``.
    package var stateChanged: (@EventLoop (State) -> Void)?

    private let properties: [String: String]
    private let address: String?
    private let ownDeviceProperty: String?
    private var connection: Connection?
    let observers = DeviceObservers()
    private var backOff: BackOff
    private var readySince: MonotonicInstant?
    private var retry: TimerSource?
    private var latestAttempt = MonotonicInstant(nanoseconds: 0)
    /// Watches of the server's sockets while there is no connection.
    private var watches: [FileWatch] = []

    /// - Parameters:
    ///   - applicationName: Shown to people in volume controls.
    ///   - properties: More properties of the application, `application.icon_name` for example.
    ///   - address: The server's address, for example `unix:/run/user/1000/pulse/native`; by default that of libpulse:
    ///     `PULSE_SERVER`, then the user's runtime directory.
    ///   - ownDeviceProperty: The name of the property that marks this program's own devices, which are never used as
    ///     microphones.
    ///   - backOff: The delays between attempts.
    package init(
        applicationName: String,
        properties: [String: String] = [:],
        address: String? = nil,
        ownDeviceProperty: String? = nil,
        backOff: BackOff = BackOff()
    ) {
        self.properties = properties.merging(["application.name": applicationName]) { _, name in name }
        self.address = address
        self.ownDeviceProperty = ownDeviceProperty
        self.backOff = backOff
        observers.changed = { [weak self] in self?.connection?.updateSubscription() }
    }

    isolated deinit {
        stateChanged = nil
        close()
    }

    /// Connects, and reconnects after losses until ``close()``.
    package func connect() {
        guard case .closed = state else { return }
        backOff.reset()
        change(to: .connecting)
        attempt()
    }

    /// Ends the connection. The server ends all streams with it, and each of them fails.
    package func close() {
        retry?.disarm()
        retry = nil
        watches = []
        readySince = nil
        if case .closed = state { return }
        state = .closed
        let ending = connection
        connection = nil
        ending?.end("the connection was closed")
        stateChanged?(.closed)
    }

    /// The live connection, for a stream or a query.
    func connected(_ action: String) throws(AudioError) -> Connection {
        switch state {
        case .ready:
            guard let connection else { break }
            return connection
        case .closed, .connecting:
            break
        case .lost(let reason):
            throw AudioError(
                action,
                reason: "there is no connection to an audio server: \(reason)",
                kind: .serverLost
            )
        }
        throw AudioError(action, reason: "there is no connection to an audio server yet", kind: .serverLost)
    }

    private func attempt() {
        latestAttempt = .now
        do throws(AudioError) {
            let connection = try Connection(properties, ownDeviceProperty, observers) { [weak self] in
                self?.handle($0)
            }
            self.connection = connection
            try connection.open(address)
        } catch {
            lost(error.reason)
        }
    }

    private func handle(_ event: Connection.Event) {
        switch event {
        case .ready(let serverName):
            watches = []
            readySince = .now
            change(to: .ready(serverName: serverName))
        case .ended(let reason):
            lost(reason)
        }
    }

    private func lost(_ reason: String) {
        connection = nil
        if case .closed = state { return }
        // A server that accepts connections and fails immediately must not reset the back-off.
        if let readySince, MonotonicInstant.now - readySince >= .seconds(5) { backOff.reset() }
        readySince = nil
        if retry == nil { retry = TimerSource { [weak self] in self?.attempt() } }
        retry?.arm(after: backOff.next())
        watchForServer()
        // A loss is reported once, whatever the reasons of the failed attempts after it.
        if case .lost = state { return }
        change(to: .lost(reason: reason))
    }

    private func watchForServer() {
        guard watches.isEmpty else { return }
        watches = ServerSocket.paths(address).compactMap { path in
            // Without the watch the next attempt is only made later.
            try? FileWatch(path) { [weak self] in self?.socketChanged(path) }
        }
    }

    /// The server has bound its socket, and listens a moment later: if this attempt is too early, the next one is near.
    private func socketChanged(_ path: String) {
        guard FileWatch.target(of: path) == .exists else { return }
        backOff.reset()
        guard connection == nil else { return }
        retry?.arm(at: max(.now, latestAttempt + Self.shortestInterval))
    }

    /// Between two attempts, however often the socket is created and removed.
    private static let shortestInterval = Duration.milliseconds(100)

    private func change(to new: State) {
        guard new != state else { return }
        state = new
        stateChanged?(new)
    }
}
