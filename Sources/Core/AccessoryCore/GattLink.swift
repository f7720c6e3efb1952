import PTTMessages

/// The readiness of a Bluetooth button's link: from the connection until the notifications of its inputs
/// count.
struct GattLink: Equatable, Sendable {
    enum State: Equatable, Sendable {
        case away(remark: String?)
        /// The services are being discovered.
        case connected(since: MonotonicTime)
        /// The services are known.
        case open
        /// Useless: the shell was asked to break it.
        case leaving(reason: String, since: MonotonicTime)
        case unused(reason: String)
    }

    /// The discovery of services takes seconds. After 30 s without an answer BlueZ gives up by itself (the
    /// transaction timeout of the attribute protocol), but not if the button answers and never ends.
    static let resolveLimit = Duration.seconds(60)
    /// The time after which the order to disconnect is repeated.
    static let leaveLimit = Duration.seconds(30)

    private(set) var state = State.away(remark: nil)
    /// True if breaking the present link would also break one of classic Bluetooth: it is kept, however
    /// useless.
    var isShared = false
    private(set) var inputs: [GattSubscription]

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

    subscript(input: Int) -> GattSubscription {
        get { inputs.indices.contains(input) ? inputs[input] : .absent }
        set { if inputs.indices.contains(input) { inputs[input] = newValue } }
    }

    mutating func notificationsEnabled(_ input: Int, at now: MonotonicTime, _ effects: inout EffectList) {
        if self[input].enabled(at: now) { effects.append(.fence(input)) }
    }

    mutating func notificationsFailed(
        _ input: Int,
        _ reason: String,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) {
        if self[input].refused(reason, at: now), inputs.allSatisfy(\.isUseless) {
            leave("its notifications cannot be turned on: \(reason)", at: now, &effects)
        }
    }

    private mutating func leave(_ reason: String, at now: MonotonicTime, _ effects: inout EffectList) {
        guard !isShared else { return enter(.unused(reason: reason + ": switch it off and on")) }
        enter(.leaving(reason: reason, since: now))
        effects.append(.disconnect)
    }

    /// - Returns: The inputs that have become ready.
    mutating func timerFired(at now: MonotonicTime, _ effects: inout EffectList) -> [Int] {
        switch state {
        case .connected(let since):
            if !isShared, now - since >= Self.resolveLimit {
                leave("its services are not reported", at: now, &effects)
            }
        case .leaving(let reason, let since):
            if now - since >= Self.leaveLimit { leave(reason, at: now, &effects) }
        case .away, .open, .unused: break
        }
        var ready: [Int] = []
        for index in inputs.indices {
            if inputs[index].retry(at: now) { effects.append(.subscribe(index)) }
            if inputs[index].settle(at: now) { ready.append(index) }
        }
        return ready
    }

    var deadline: MonotonicTime? {
        var deadline: MonotonicTime? =
            switch state {
            case .connected(let since): isShared ? nil : since + Self.resolveLimit
            case .leaving(reason: _, let since): since + Self.leaveLimit
            case .away, .open, .unused: nil
            }
        for input in inputs { deadline = earlier(deadline, input.deadline) }
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
}
