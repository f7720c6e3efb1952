import PTTMessages

/// The readiness of a Bluetooth button's link: from the connection until the notifications of its inputs count.
///
/// Until then values only report the level: BlueZ turns the notifications of earlier subscribers on again before it
/// reports the services, some buttons notify their level immediately, and so does one that is held while it reconnects.
/// Once notifications are on, one read is the fence: its answer comes after whatever the button had notified before it.
/// A button that refuses the read gets ``settleTime`` instead, one that does not answer ``fenceLimit``.
struct GattLink: Equatable, Sendable {
    enum State: Equatable, Sendable {
        case away(remark: String?)
        /// The services are being discovered.
        ///
        /// A link is shared if breaking it would also break one of classic Bluetooth: it is kept, however useless.
        case connected(since: MonotonicTime, isShared: Bool)
        /// The services are known.
        case open
        /// Useless: the shell was asked to break it.
        case leaving(reason: String, since: MonotonicTime)
        case unused(reason: String)
    }

    enum Subscription: Equatable, Sendable {
        /// The device does not have the characteristic, or its services are not known.
        case absent
        case subscribing(attempt: Int)
        case waiting(attempt: Int, until: MonotonicTime, reason: String)
        /// Notifications are on; the answer to the read is awaited.
        case fenced(since: MonotonicTime)
        case settling(until: MonotonicTime)
        /// Notifications will be on with the next link of the right transport.
        case unlinked
        case ready
        /// Given up.
        case failed(reason: String)
    }

    /// How long after notifications are on a value still counts as a level, if the button refuses to be read.
    ///
    /// Buttons that notify their level at the subscription do so within one or two connection intervals, of at most
    /// 50 ms as the kernel requests; a button that was pressed before is still pressed then.
    static let settleTime = Duration.milliseconds(500)
    /// The answer to a read takes two connection intervals, of at most 4 s each.
    static let fenceLimit = Duration.seconds(10)
    /// The discovery of services takes seconds. After 30 s without an answer BlueZ gives up by itself (the transaction
    /// timeout of the attribute protocol), but not if the button answers and never ends.
    static let resolveLimit = Duration.seconds(60)
    /// When the order to disconnect is repeated.
    static let leaveLimit = Duration.seconds(30)
    /// With the delays between them, these take about a minute.
    static let subscribeAttempts = 8

    private(set) var state = State.away(remark: nil)
    /// Whether the present link must not be broken.
    private(set) var isShared = false
    private(set) var inputs: [Subscription]

    init(inputs: Int) {
        self.inputs = Array(repeating: .absent, count: inputs)
    }

    /// Leaves the subscriptions, for another state of the link.
    mutating func enter(_ state: State) {
        self.state = state
        if case .connected(since: _, let isShared) = state { self.isShared = isShared }
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

    mutating func notificationsEnabled(_ input: Int, at now: MonotonicTime, _ effects: inout EffectList) {
        guard inputs.indices.contains(input) else { return }
        switch inputs[input] {
        case .subscribing, .waiting, .unlinked:
            inputs[input] = .fenced(since: now)
            effects.append(.fence(input))
        case .absent, .fenced, .settling, .ready, .failed:
            // A late answer to an effect of an earlier link, or one of several answers.
            break
        }
    }

    mutating func endFence(_ input: Int, _ answer: FenceAnswer) {
        guard inputs.indices.contains(input), case .fenced(let since) = inputs[input] else { return }
        switch answer {
        case .value: inputs[input] = .ready
        case .refused: inputs[input] = .settling(until: since + Self.settleTime)
        case .notConnected: inputs[input] = .unlinked
        }
    }

    func isUnlinked(_ input: Int) -> Bool { inputs.indices.contains(input) && inputs[input] == .unlinked }

    func isFenced(_ input: Int) -> Bool {
        guard inputs.indices.contains(input), case .fenced = inputs[input] else { return false }
        return true
    }

    mutating func notificationsFailed(
        _ input: Int,
        _ reason: String,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) {
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
            leave("its notifications cannot be turned on: \(reason)", at: now, &effects)
        }
    }

    private mutating func leave(_ reason: String, at now: MonotonicTime, _ effects: inout EffectList) {
        guard !isShared else { return enter(.unused(reason: reason + ": switch it off and on")) }
        enter(.leaving(reason: reason, since: now))
        effects.append(.disconnect)
    }

    /// Whether notifications were on.
    func isNotifying(_ input: Int) -> Bool {
        guard inputs.indices.contains(input) else { return false }
        return switch inputs[input] {
        case .fenced, .settling, .ready: true
        case .absent, .subscribing, .waiting, .unlinked, .failed: false
        }
    }

    /// - Returns: The inputs that have become ready.
    mutating func timerFired(at now: MonotonicTime, _ effects: inout EffectList) -> [Int] {
        switch state {
        case .connected(let since, let isShared):
            if !isShared, now - since >= Self.resolveLimit {
                leave("its services are not reported", at: now, &effects)
            }
        case .leaving(let reason, let since):
            if now - since >= Self.leaveLimit { leave(reason, at: now, &effects) }
        case .away, .open, .unused: break
        }
        var ready: [Int] = []
        for index in inputs.indices {
            switch inputs[index] {
            case .waiting(let attempt, let until, reason: _):
                guard now >= until else { continue }
                inputs[index] = .subscribing(attempt: attempt + 1)
                effects.append(.subscribe(index))
            case .fenced, .settling:
                if settle(index, at: now) { ready.append(index) }
            case .absent, .subscribing, .unlinked, .ready, .failed:
                break
            }
        }
        return ready
    }

    /// - Returns: Whether the input has become ready: its time is over, although the timer may be late.
    mutating func settle(_ input: Int, at now: MonotonicTime) -> Bool {
        guard inputs.indices.contains(input), let until = inputs[input].countsFrom, now >= until else {
            return false
        }
        inputs[input] = .ready
        return true
    }

    func isReady(_ input: Int) -> Bool {
        inputs.indices.contains(input) && inputs[input] == .ready
    }

    var deadline: MonotonicTime? {
        var deadline: MonotonicTime? =
            switch state {
            case .connected(let since, let isShared): isShared ? nil : since + Self.resolveLimit
            case .leaving(reason: _, let since): since + Self.leaveLimit
            case .away, .open, .unused: nil
            }
        for input in inputs {
            if case .waiting(attempt: _, let until, reason: _) = input {
                deadline = earlier(deadline, until)
            } else {
                deadline = earlier(deadline, input.countsFrom)
            }
        }
        return deadline
    }

    var linkState: LinkState {
        switch state {
        case .away: .away
        case .connected, .leaving: .connecting
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
        case .leaving(let reason, since: _), .unused(let reason): return reason
        case .open:
            for input in inputs {
                switch input {
                case .waiting(attempt: _, until: _, let reason):
                    return "its notifications cannot be turned on yet: \(reason)"
                case .unlinked: return "only its link for sound is up: press it"
                case .absent, .subscribing, .fenced, .settling, .ready, .failed: break
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
        case .subscribing, .waiting, .fenced, .settling, .unlinked, .ready: false
        }
    }

    /// When its values count at the latest; nil if that is not a question of time.
    fileprivate var countsFrom: MonotonicTime? {
        switch self {
        case .fenced(let since): since + GattLink.fenceLimit
        case .settling(let until): until
        case .absent, .subscribing, .waiting, .unlinked, .ready, .failed: nil
        }
    }
}
