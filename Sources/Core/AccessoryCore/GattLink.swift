import PTTMessages

/// The readiness of a Bluetooth button's link: from the connection until the notifications of its inputs count.
///
/// Until ``settleTime`` after the notifications of an input are on, its values only report the level: BlueZ turns the
/// notifications of earlier subscribers on again before it reports the services, some buttons notify their level
/// immediately, and so does one that is held while it reconnects.
struct GattLink: Equatable, Sendable {
    enum State: Equatable, Sendable {
        case away(remark: String?)
        /// The services are being discovered.
        case connected
        /// The services are known.
        case open
        case unused(reason: String)
    }

    enum Subscription: Equatable, Sendable {
        /// The device does not have the characteristic, or its services are not known.
        case absent
        case subscribing(attempt: Int)
        case waiting(attempt: Int, until: MonotonicTime, reason: String)
        case settling(until: MonotonicTime)
        case ready
        /// Given up.
        case failed(reason: String)
    }

    /// How long after notifications are on a value still counts as a level, not as an edge.
    ///
    /// Buttons that notify their level at the subscription do so within one or two connection intervals, of at most
    /// 50 ms as the kernel requests; a button that was pressed before is still pressed then.
    static let settleTime = Duration.milliseconds(500)
    /// With the delays between them, these take about a minute.
    static let subscribeAttempts = 8

    private(set) var state = State.away(remark: nil)
    private(set) var inputs: [Subscription]

    init(inputs: Int) {
        self.inputs = Array(repeating: .absent, count: inputs)
    }

    /// Leaves the subscriptions, for another state of the link.
    mutating func enter(_ state: State) {
        self.state = state
        for index in inputs.indices { inputs[index] = .absent }
    }

    /// Subscribes to inputs.
    mutating func open(_ found: Set<Int>, _ effects: inout EffectList) {
        enter(.open)
        for index in inputs.indices where found.contains(index) {
            inputs[index] = .subscribing(attempt: 1)
            effects.append(.subscribe(index))
        }
    }

    /// The inputs that the device has.
    var found: Set<Int> { Set(inputs.indices.filter { inputs[$0] != .absent }) }

    mutating func notificationsEnabled(_ input: Int, at now: MonotonicTime) {
        guard inputs.indices.contains(input) else { return }
        switch inputs[input] {
        case .subscribing, .waiting: inputs[input] = .settling(until: now + Self.settleTime)
        case .absent, .settling, .ready, .failed:
            // A late answer to an effect of an earlier link, or one of several answers.
            break
        }
    }

    mutating func notificationsFailed(_ input: Int, _ reason: String, at now: MonotonicTime) {
        guard inputs.indices.contains(input), case .subscribing(let attempt) = inputs[input] else { return }
        guard attempt >= Self.subscribeAttempts else {
            inputs[input] = .waiting(
                attempt: attempt,
                until: now + Self.delay(after: attempt),
                reason: reason
            )
            return
        }
        inputs[input] = .failed(reason: reason)
        if inputs.allSatisfy(\.isUseless) {
            enter(.unused(reason: "its notifications cannot be turned on: \(reason)"))
        }
    }

    /// Whether notifications were on.
    func isNotifying(_ input: Int) -> Bool {
        guard inputs.indices.contains(input) else { return false }
        return switch inputs[input] {
        case .settling, .ready: true
        case .absent, .subscribing, .waiting, .failed: false
        }
    }

    /// - Returns: The inputs that have become ready.
    mutating func timerFired(at now: MonotonicTime, _ effects: inout EffectList) -> [Int] {
        var ready: [Int] = []
        for index in inputs.indices {
            switch inputs[index] {
            case .waiting(let attempt, let until, reason: _):
                guard now >= until else { continue }
                inputs[index] = .subscribing(attempt: attempt + 1)
                effects.append(.subscribe(index))
            case .settling:
                if settle(index, at: now) { ready.append(index) }
            case .absent, .subscribing, .ready, .failed:
                break
            }
        }
        return ready
    }

    /// - Returns: Whether the input has become ready: its settle time is over, although the timer may be late.
    mutating func settle(_ input: Int, at now: MonotonicTime) -> Bool {
        guard inputs.indices.contains(input), case .settling(let until) = inputs[input], now >= until else {
            return false
        }
        inputs[input] = .ready
        return true
    }

    func isReady(_ input: Int) -> Bool {
        inputs.indices.contains(input) && inputs[input] == .ready
    }

    var deadline: MonotonicTime? {
        var deadline: MonotonicTime?
        for input in inputs {
            switch input {
            case .waiting(attempt: _, let until, reason: _), .settling(let until):
                deadline = earlier(deadline, until)
            case .absent, .subscribing, .ready, .failed: break
            }
        }
        return deadline
    }

    var linkState: LinkState {
        switch state {
        case .away: .away
        case .connected: .connecting
        case .open:
            inputs.contains(.ready) && inputs.allSatisfy { $0 == .ready || $0.isUseless }
                ? .ready : .connecting
        case .unused: .unused
        }
    }

    var remark: String? {
        switch state {
        case .away(let remark): return remark
        case .connected: return nil
        case .unused(let reason): return reason
        case .open:
            for input in inputs {
                switch input {
                case .waiting(attempt: _, until: _, let reason):
                    return "its notifications cannot be turned on yet: \(reason)"
                case .absent, .subscribing, .settling, .ready, .failed: break
                }
            }
            return nil
        }
    }

    /// 0.5 s, doubling to 30 s.
    private static func delay(after attempt: Int) -> Duration {
        min(.milliseconds(500 << min(attempt - 1, 10)), .seconds(30))
    }
}

extension GattLink.Subscription {
    /// Whether it will report nothing on the present link.
    fileprivate var isUseless: Bool {
        switch self {
        case .absent, .failed: true
        case .subscribing, .waiting, .settling, .ready: false
        }
    }
}
