import DBus
import EventLoop
import Journal
import Logging

/// A service on a bus that reports calls: its presence, its signals and its answers. It is never started from
/// here.
@EventLoop
final class CallService {
    /// Its well-known name.
    let name: String
    private let log: RateLimitedLog
    private var connection: BusConnection?
    private var subscriptions: [Subscription] = []
    private var backOff = BackOff(first: .seconds(1), limit: .seconds(600))
    private lazy var retry = TimerSource { [weak self] in self?.appeared() }
    private var isRefusalReported = false

    /// Called when the service is there, also for a further process that has its name, and again if it did
    /// not answer.
    var appeared: @EventLoop () -> Void = {}
    /// Called when no process has the name.
    var left: @EventLoop () -> Void = {}
    /// Subscribes to its signals, before it is asked anything.
    var connected: @EventLoop () -> Void = {}

    /// The time that an answer may take.
    private static let timeout = Duration.seconds(5)

    init(_ name: String, log: RateLimitedLog) {
        self.name = name
        self.log = log
    }

    func connect(to connection: BusConnection) {
        self.connection = connection
        connected()
        let watch = connection.watchName(name) { [weak self] owner in self?.ownerChanged(owner) }
        subscriptions.append(watch)
    }

    func disconnect() {
        retry.disarm()
        subscriptions = []
        connection = nil
    }

    private func ownerChanged(_ owner: String?) {
        retry.disarm()
        backOff.reset()
        isRefusalReported = false
        if owner == nil { left() } else { appeared() }
    }

    func subscribe(
        to interface: String,
        _ member: String? = nil,
        path: ObjectPath? = nil,
        firstArgument: String? = nil,
        _ handler: @escaping @EventLoop (BusSignal) -> Void
    ) {
        let rule = MatchRule(
            sender: name,
            path: path,
            interface: interface,
            member: member,
            firstArgument: firstArgument
        )
        guard let connection else { return }
        subscriptions.append(connection.subscribe(rule, handler: handler))
    }

    /// Sends a call, and reports the answer; nil if there is no such object. Of any other failure nothing is
    /// reported: what was known stays in force until the service answers or leaves the bus.
    func ask(_ call: MethodCall, _ completion: @escaping @EventLoop ([BusValue]?) -> Void) {
        var call = call
        call.startsService = false
        connection?.call(call, timeout: Self.timeout) { [weak self] result in
            switch result {
            case .success(let values): completion(values)
            case .failure(let error): self?.failed(error) { completion(nil) }
            }
        }
    }

    private func failed(_ error: BusError, isMissing: @EventLoop () -> Void) {
        switch error.kind {
        case .unknownObject:
            isMissing()
        case .disconnected, .serviceUnknown:
            // The connection, or the watch of the name, reports what follows.
            break
        case .accessDenied:
            // Its signals still arrive: a bus restricts calls, not broadcasts.
            report(error)
        case .noReply, .invalidArguments, .limitsExceeded, .other:
            report(error)
            retry.arm(after: backOff.next())
        }
    }

    private func report(_ error: BusError) {
        guard !isRefusalReported else { return }
        isRefusalReported = true
        log.log(level: .notice, "calls that have begun before may not be known: \(error)")
    }
}
