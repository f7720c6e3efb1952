package import EventLoop

/// The user's audio server, PipeWire or PulseAudio, over two connections that reconnect together after a
/// loss.
///
/// One is for captures alone: pipewire-pulse 0.3.65 sends a client nothing that it has captured in a period
/// in which it has anything else to send to it: replies, events, requests for samples. What was captured then
/// comes a period or more later, at the beginning of a transmission up to 80 ms.
///
/// While connected and without streams, it causes no wake-ups. While disconnected, it reconnects when the
/// server's socket is created, and with a back-off from 100 ms to 5 s until ``close()`` is called: each
/// attempt is one wake-up. To avoid these, connect only while audio is needed, which takes some milliseconds.
/// It never starts a server.
@EventLoop
package final class AudioServer {
    package enum State: Sendable, Equatable {
        /// Neither connected nor trying to be.
        case closed
        /// The first attempt after ``connect()`` is in progress.
        case connecting
        /// Streams can be opened.
        case ready
        /// There is no connection; further attempts are not reported until one succeeds. All streams have
        /// failed before.
        case lost(reason: String)
    }

    package private(set) var state = State.closed
    /// Called after each change of ``state``.
    package var stateChanged: (@EventLoop (State) -> Void)?
    /// Over all connections.
    package let previousDefault = PreviousDefault()

    let applicationName: String
    private let address: String?
    let ownDeviceProperty: String?
    /// Where PulseAudio's command line is to listen while it is loaded; nil if it could not be reached.
    var commandSocket: String? { ServerSocket.commandLine(address) }
    private var pair: ConnectionPair?
    let observers = DeviceObservers()
    private var backOff: BackOff
    private var readySince: MonotonicInstant?
    private lazy var retry = TimerSource { [weak self] in self?.attempt() }
    private var latestAttempt = MonotonicInstant(nanoseconds: 0)
    /// Watches of the server's sockets while there is no connection.
    private var watches: [FileWatch] = []

    /// - Parameters:
    ///   - applicationName: Shown to people in volume controls.
    ///   - address: The server's address, for example `unix:/run/user/1000/pulse/native`; by default that of
    ///     libpulse: `PULSE_SERVER`, then the user's runtime directory.
    ///   - ownDeviceProperty: The name of the property that marks this program's own devices, which are never
    ///     used as microphones.
    ///   - backOff: The delays between attempts.
    package init(
        applicationName: String,
        address: String? = nil,
        ownDeviceProperty: String? = nil,
        backOff: BackOff = BackOff()
    ) {
        self.applicationName = applicationName
        self.address = address
        self.ownDeviceProperty = ownDeviceProperty
        self.backOff = backOff
        observers.changed = { [weak self] in self?.pair?.main.updateSubscription() }
    }

    isolated deinit {
        stateChanged = nil
        close()
    }

    /// Two connections, which are used once both are ready.
    private struct ConnectionPair {
        let main: Connection
        let capture: Connection
        /// The number of connections that are not ready yet.
        var pending = 2
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
        retry.disarm()
        watches = []
        readySince = nil
        if case .closed = state { return }
        state = .closed
        end("the connection was closed")
        stateChanged?(.closed)
    }

    /// The connections that are ready or being opened, that for captures last.
    var connections: [Connection] { pair.map { [$0.main, $0.capture] } ?? [] }

    /// The live connection, for a stream that plays, a query or a change.
    func connected(_ action: String) throws(AudioError) -> Connection { try ready(action).main }

    /// The live connection for a stream that captures, and for what it has to know.
    func connectedForCapture(_ action: String) throws(AudioError) -> Connection { try ready(action).capture }

    private func ready(_ action: String) throws(AudioError) -> ConnectionPair {
        if case .ready = state, let pair { return pair }
        let cause = if case .lost(let reason) = state { ": \(reason)" } else { " yet" }
        let reason = "there is no connection to an audio server\(cause)"
        throw AudioError(action, reason: reason, kind: .serverLost)
    }

    private func attempt() {
        latestAttempt = .now
        do throws(AudioError) {
            let main = try Connection(of: self, observers)
            let capture = try Connection(of: self, DeviceObservers())
            (main.companion, capture.companion) = (capture, main)
            pair = ConnectionPair(main: main, capture: capture)
            try main.open(address)
            try capture.open(address)
        } catch {
            lost(error.reason)
        }
    }

    /// One of the connections is ready.
    func connectionIsReady() {
        pair?.pending -= 1
        guard pair?.pending == 0 else { return }
        watches = []
        readySince = .now
        change(to: .ready)
    }

    /// A connection has ended.
    func ended(_ connection: Connection, _ reason: String) {
        // Otherwise the other connection has ended before, and this one is being ended.
        if connections.contains(where: { $0 === connection }) { lost(reason) }
    }

    private func end(_ reason: String) {
        let ending = connections
        pair = nil
        for connection in ending { connection.end(reason) }
    }

    private func lost(_ reason: String) {
        end(reason)
        if case .closed = state { return }
        // A server that accepts connections and fails immediately must not reset the back-off.
        if let readySince, MonotonicInstant.now - readySince >= .seconds(5) { backOff.reset() }
        readySince = nil
        retry.arm(after: backOff.next())
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

    /// The server has bound its socket, and listens a moment later: if this attempt is too early, the next
    /// one is near.
    private func socketChanged(_ path: String) {
        guard FileWatch.target(of: path) == .exists else { return }
        backOff.reset()
        guard pair == nil else { return }
        retry.arm(at: max(.now, latestAttempt + Self.shortestInterval))
    }

    /// Between two attempts, however often the socket is created and removed.
    private static let shortestInterval = Duration.milliseconds(100)

    private func change(to new: State) {
        guard new != state else { return }
        state = new
        stateChanged?(new)
    }
}
