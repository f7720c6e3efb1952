import DBus
import EventLoop
import Journal
import Logging
import PTTCore

/// A service on a bus that reports calls: its presence, its signals and its answers. It is never started from
/// here. A subclass knows its interface.
///
/// While the connection is lost, what was known stays in force for a while: any process on the bus can end
/// our connection to it (`BusConnection`), and must not end a call by that.
@EventLoop
class CallService {
    /// Its well-known name.
    let name: String
    private let source: ActiveCalls.Source
    private let log: RateLimitedLog
    let report: @EventLoop (ActiveCalls.Event) -> Void
    /// Called each time that all questions are answered: its calls are known, or cannot be.
    var answered: @EventLoop () -> Void = {}
    private var openQuestions = 0
    private var connection: BusConnection?
    private var subscriptions: [Subscription] = []
    private var backOff = BackOff(first: .seconds(1), limit: .seconds(600))
    private lazy var retry = TimerSource { [weak self] in self?.list() }
    private lazy var lossLimit = TimerSource { [weak self] in self?.lose() }
    private var isRefusalReported = false

    /// The time that an answer may take.
    private static let timeout = Duration.seconds(5)
    /// A bus that is away for longer does not come back with the calls that it had.
    private static let longestLoss = Duration.seconds(30)

    init(
        _ name: String,
        _ source: ActiveCalls.Source,
        log: RateLimitedLog,
        report: @escaping @EventLoop (ActiveCalls.Event) -> Void
    ) {
        (self.name, self.source, self.log, self.report) = (name, source, log, report)
    }

    /// Subscribes to its signals, before it is asked anything.
    func subscribe() {}

    /// Asks for its calls. The service is there, also for a further process that has its name, and again if
    /// it did not answer.
    func list() {}

    /// No process has the name, or the bus is away for too long: the calls do not count any more.
    func lose() { report(.lost(source)) }

    /// Reports the state of one call.
    final func setCall(_ id: String, isActive: Bool) {
        let call = ActiveCalls.Call(id: id, name: ActiveCalls.telephoneCall)
        report(isActive ? .present(source, call) : .ended(source, id: id))
    }

    final func connect(to connection: BusConnection) {
        self.connection = connection
        lossLimit.disarm()
        subscribe()
        let watch = connection.watchName(name) { [weak self] owner in self?.ownerChanged(owner) }
        subscriptions.append(watch)
    }

    final func disconnect() {
        retry.disarm()
        if connection != nil { lossLimit.arm(after: Self.longestLoss) }
        subscriptions = []
        connection = nil
        answered()
    }

    private func ownerChanged(_ owner: String?) {
        retry.disarm()
        backOff.reset()
        isRefusalReported = false
        guard owner == nil else { return list() }
        lose()
        answered()
    }

    final func subscribe(
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
    final func ask(_ call: MethodCall, _ completion: @escaping @EventLoop ([BusValue]?) -> Void) {
        var call = call
        call.startsService = false
        guard let connection else { return }
        openQuestions += 1
        connection.call(call, timeout: Self.timeout) { [weak self] result in
            guard let self else { return }
            openQuestions -= 1
            switch result {
            case .success(let values): completion(values)
            case .failure(let error): failed(error) { completion(nil) }
            }
            if openQuestions == 0 { answered() }
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
            logOnce(error)
        case .noReply, .invalidArguments, .other:
            logOnce(error)
            retry.arm(after: backOff.next())
        }
    }

    private func logOnce(_ error: BusError) {
        guard !isRefusalReported else { return }
        isRefusalReported = true
        log.log(level: .notice, "calls that have begun before may not be known: \(error)")
    }
}
