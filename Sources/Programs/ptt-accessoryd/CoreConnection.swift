import EventLoop
import Logging
import PTTMessages
import ServiceClient

/// Keeps the connection to the core: waits for a core that is not there, and connects again after a loss.
///
/// Requests go over one connection, events come over another. What was asked for while there was no connection is
/// refused and never asked again: a press counts when it happens or not at all.
@EventLoop
final class CoreConnection {
    enum Event {
        case connected
        /// With the connection went every transmission that was begun on it.
        case lost(reason: String)
        /// - Parameter ownsKeys: Whether the keys of headsets belong to push-to-talk, and not to a media player.
        case channelChanged(ownsKeys: Bool)
        case transmissionEnded(TransmissionID, EndCause)
    }

    /// So many attempts to reach a socket that nobody listens on; then only a new socket wakes us up.
    private static let attempts = 8
    /// The events that a button or a headset cares about. All others come with each press and are not decoded.
    private static let kinds: Set = [
        "channelJoined", "channelLeft", "accessoryEventsChanged", "transmissionEnded",
    ]

    private let log: Logger
    /// Set it before ``start(watching:)``.
    var handler: @EventLoop (Event) -> Void = { _ in }

    private var requests: ServiceConnection?
    private var events: ServiceConnection?
    /// Of the core's status only what ``kinds`` tell of is kept up to date.
    private var status: Status?
    private var lastEnded: (transmissionID: TransmissionID, cause: EndCause)?
    private var backOff = BackOff()
    private var attempt = 0
    private var isAbsenceTold = false
    private var watch: DirectoryWatch?
    private var refused: [@EventLoop (Result<TransmissionID, Refusal>) -> Void] = []
    private lazy var refusing = DeferredSource { [weak self] in self?.refuseAll() }
    private lazy var retry = TimerSource { [weak self] in self?.connect() }

    init(log: Logger) {
        self.log = log
    }

    /// Whether the core has answered on the present connection.
    var isConnected: Bool { status != nil }

    var isChannelJoined: Bool { status?.channel != nil }

    /// The application may leave the buttons to others, `setAccessoryButtonEventsEnabled(false)`.
    private var ownsKeys: Bool { status?.channel?.areAccessoryEventsEnabled ?? false }

    /// Connects, now or as soon as there is a core. Where systemd listens for the core, this starts it.
    ///
    /// - Parameter directory: Where the core's socket is or will be; it exists.
    func start(watching directory: String) {
        do throws(SystemError) {
            // Before the first attempt, so that no socket appears unseen between the two.
            watch = try DirectoryWatch(directory) { [weak self] name in
                if name == RuntimeSocket.core.rawValue { self?.socketAppeared() }
            }
        } catch {
            log.warning("\(error): looking for the core every few seconds while it is away")
        }
        connect()
    }

    /// Asks for a transmission, in this turn of the loop. `then` is called once, never before this returns.
    func begin(_ origin: Origin, then: @escaping @EventLoop (Result<TransmissionID, Refusal>) -> Void) {
        guard isConnected, let requests else {
            refused.append(then)
            refusing.trigger()
            return socketAppeared()
        }
        let request = ChannelInterface.BeginRequest(channelID: nil, source: .handsfreeButton, origin: origin)
        requests.begin(request) { [weak self] result in
            switch result {
            case .success(let reply):
                then(.success(reply.transmissionID))
                // The end may have overtaken this answer on the other connection.
                if let ended = self?.lastEnded, ended.transmissionID == reply.transmissionID {
                    self?.handler(.transmissionEnded(ended.transmissionID, ended.cause))
                }
            case .failure(.refused(let refusal)): then(.failure(refusal))
            case .failure(let error): then(.failure(Refusal(.unknown, "\(error)")))
            }
        }
    }

    /// The first press need not wait for what Swift looks up when it encodes a type first.
    private static func rehearse(_ requests: ServiceConnection) {
        let origin = Origin(kind: .bluetoothButton, identifier: "", name: "")
        requests.prepare(
            ChannelInterface.BeginRequest(channelID: nil, source: .handsfreeButton, origin: origin),
            ChannelInterface.EndRequest(channelID: nil, origin: origin, cause: .released)
        )
    }

    private func refuseAll() {
        let waiting = refused
        refused = []
        let refusal = Refusal(.unknown, "the core is not connected: see `systemctl --user status pttd`")
        for then in waiting { then(.failure(refusal)) }
    }

    /// Tells that an origin was let go or lost, in this turn of the loop. Without a connection there is nothing to
    /// end: the core ended it with the connection.
    func end(_ origin: Origin, _ cause: EndCause) {
        let request = ChannelInterface.EndRequest(channelID: nil, origin: origin, cause: cause)
        requests?.end(request) { [log] result in
            // A transmission that was refused or is over has nothing to end.
            if case .failure(let error) = result { log.debug("end of \(origin.name): \(error)") }
        }
    }

    /// Ends the connection. What was sent is still delivered.
    func close() {
        watch = nil
        retry.disarm()
        disconnect()
    }

    private func disconnect() {
        let connections = [requests, events]
        // First, because closing fails the calls that wait, and their answers come here.
        requests = nil
        events = nil
        status = nil
        lastEnded = nil
        for connection in connections { connection?.close() }
    }

    // MARK: - Connecting

    private func socketAppeared() {
        guard requests == nil else { return }
        attempt = 0
        backOff.reset()
        connect()
    }

    private func connect() {
        guard requests == nil else { return }
        retry.disarm()
        do throws(ServiceError) {
            let requests = try ServiceConnection.core()
            let events = try ServiceConnection.core()
            self.requests = requests
            self.events = events
            requests.onClose = { [weak self] in self?.lose("\($0)") }
            events.subscribe(
                to: Self.kinds,
                { [weak self] in self?.follow($0) },
                ended: { [weak self] in self?.lose("\($0)") }
            )
        } catch {
            unreachable(error)
        }
    }

    private func unreachable(_ error: ServiceError) {
        tellAbsence("\(error)")
        attempt += 1
        // A socket that appears is seen before its daemon listens on it: that is what the first attempts are for.
        if attempt < Self.attempts || watch == nil { retry.arm(after: backOff.next()) }
    }

    private func tellAbsence(_ reason: String) {
        guard !isAbsenceTold else { return }
        isAbsenceTold = true
        log.warning("\(reason). Presses do nothing until then")
    }

    private func lose(_ reason: String) {
        guard requests != nil else { return }
        let wasConnected = isConnected
        disconnect()
        attempt = 0
        tellAbsence(reason)
        retry.arm(after: backOff.next())
        if wasConnected { handler(.lost(reason: reason)) }
    }

    // MARK: - Events

    private func follow(_ update: ChannelInterface.Update) {
        if let status = update.status {
            self.status = status
            if let requests { Self.rehearse(requests) }
            backOff.reset()
            isAbsenceTold = false
            log.info("the core is connected")
            handler(.connected)
            handler(.channelChanged(ownsKeys: ownsKeys))
        }
        guard let event = update.event else { return }
        let before = (isChannelJoined, ownsKeys)
        status?.apply(event)
        if case .transmissionEnded(let ended, let cause, _) = event {
            lastEnded = (ended.transmissionID, cause)
            handler(.transmissionEnded(ended.transmissionID, cause))
        }
        if (isChannelJoined, ownsKeys) != before { handler(.channelChanged(ownsKeys: ownsKeys)) }
    }
}
