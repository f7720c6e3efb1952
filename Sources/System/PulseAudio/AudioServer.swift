package import EventLoop

/// The sound server of this user, PipeWire or PulseAudio, over one connection that is made again when it is lost.
///
/// While connected and without streams nothing wakes the process up. While not connected, it tries again when the
/// server's socket appears, and besides after 100 ms, then after twice as long each time up to every 5 s, for as long
/// as ``close()`` is not called: each attempt is one wake-up. Whoever wants none connects when audio is wanted (it takes
/// some milliseconds), and closes afterwards. A server is never started by this.
@EventLoop
package final class AudioServer {
    package enum State: Sendable, Equatable {
        /// Neither connected nor trying to be.
        case closed
        /// The first attempt after ``connect()`` is under way.
        case connecting
        /// Streams can be opened. The name is the server's own, for people.
        case ready(serverName: String)
        /// There is no connection; attempts go on silently until one succeeds. All streams have failed before.
        case lost(reason: String)
    }

    package private(set) var state = State.closed
    /// Told after each change of ``state``.
    package var stateChanged: (@EventLoop (State) -> Void)?

    private let properties: [String: String]
    private let address: String?
    private let ownDeviceProperty: String?
    private var connection: Connection?
    private var backOff: BackOff
    private var readySince: MonotonicInstant?
    private var retry: TimerSource?
    private var latestAttempt = MonotonicInstant(nanoseconds: 0)
    /// Of the server's sockets, while there is no connection.
    private var watches: [FileWatch] = []

    /// - Parameters:
    ///   - applicationName: Shown to people in volume controls.
    ///   - properties: More properties of the application, `application.icon_name` for example.
    ///   - address: Where the server is (`unix:/run/user/1000/pulse/native`); by default where libpulse looks:
    ///     `PULSE_SERVER`, then the user's runtime directory.
    ///   - ownDeviceProperty: The name of a property that the devices of this program carry, so that it never takes one
    ///     of them for a microphone.
    ///   - backOff: The times between attempts.
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
    }

    isolated deinit {
        stateChanged = nil
        close()
    }

    /// Connects, and stays connected until ``close()``.
    package func connect() {
        guard case .closed = state else { return }
        backOff.reset()
        change(to: .connecting)
        attempt()
    }

    /// Ends the connection. The server drops all streams with it, and each of them fails.
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

    /// The devices as they are now.
    ///
    /// - Throws: If there is no connection, it is lost, or two seconds pass without an answer.
    package func devices() async throws(AudioError) -> AudioDevices {
        try await withCheckedContinuation { (continuation: CheckedContinuation<_, Never>) in
            devices { continuation.resume(returning: $0) }
        }.get()
    }

    /// The devices as they are now; `completion` is called exactly once, possibly at once.
    package func devices(_ completion: @escaping @EventLoop (Result<AudioDevices, AudioError>) -> Void) {
        let action = "list the audio devices"
        do throws(AudioError) {
            try connected(action).query(DeviceQuery(action, .everything, completion))
        } catch {
            completion(.failure(error))
        }
    }

    /// The live connection, for opening a stream.
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
            let connection = try Connection(properties, ownDeviceProperty) { [weak self] in self?.handle($0) }
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
        // A server that accepts and fails at once must not be asked ten times a second for ever.
        if let readySince, MonotonicInstant.now - readySince >= .seconds(5) { backOff.reset() }
        readySince = nil
        if retry == nil { retry = TimerSource { [weak self] in self?.attempt() } }
        retry?.arm(after: backOff.next())
        watchForServer()
        // One loss is told once, whatever the attempts after it die of.
        if case .lost = state { return }
        change(to: .lost(reason: reason))
    }

    private func watchForServer() {
        guard watches.isEmpty else { return }
        watches = ServerSocket.paths(address).compactMap { path in
            // Without the watch the next attempt comes later.
            try? FileWatch(path) { [weak self] in self?.socketChanged(path) }
        }
    }

    /// A server has bound its socket, and listens a moment later: if this attempt comes too early, the next is near.
    private func socketChanged(_ path: String) {
        guard FileWatch.target(of: path) == .exists else { return }
        backOff.reset()
        guard connection == nil else { return }
        retry?.arm(at: max(.now, latestAttempt + Self.closestAttempts))
    }

    /// However often somebody makes and removes the socket.
    private static let closestAttempts = Duration.milliseconds(100)

    private func change(to new: State) {
        guard new != state else { return }
        state = new
        stateChanged?(new)
    }
}
