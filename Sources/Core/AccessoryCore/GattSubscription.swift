import PTTMessages

/// The notifications of one input of a Bluetooth button: from the subscription until their values count.
///
/// Until then values only report the level: BlueZ turns the notifications of earlier subscribers on again
/// before it reports the services, some buttons notify their level immediately, and so does one that is held
/// while it reconnects. Once notifications are on, one read is the fence: its answer comes after whatever the
/// button had notified before it. A button that refuses the read gets ``settleTime`` instead, one that does
/// not answer ``fenceLimit``.
enum GattSubscription: Equatable, Sendable {
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

    /// The time for which a value still counts as a level after notifications are on, if the button refuses
    /// to be read.
    ///
    /// Buttons that notify their level at the subscription do so within one or two connection intervals, of
    /// at most 50 ms as the kernel requests; a button that was pressed before is still pressed then.
    static let settleTime = Duration.milliseconds(500)
    /// The answer to a read takes two connection intervals, of at most 4 s each.
    static let fenceLimit = Duration.seconds(10)
    /// With the delays between them, these take about a minute.
    static let attempts = 8

    /// - Returns: True if they have just been turned on, so that the fence is to be read. Not for a late
    ///   answer to an order of an earlier link, or one of several answers.
    mutating func enabled(at now: MonotonicTime) -> Bool {
        switch self {
        case .subscribing, .waiting, .unlinked:
            self = .fenced(since: now)
            return true
        case .absent, .fenced, .settling, .ready, .failed: return false
        }
    }

    /// - Returns: True if it has just been given up.
    mutating func refused(_ reason: String, at now: MonotonicTime) -> Bool {
        guard case .subscribing(let attempt) = self else { return false }
        guard attempt < Self.attempts else {
            self = .failed(reason: reason)
            return true
        }
        self = .waiting(attempt: attempt, until: now + Self.delay(after: attempt), reason: reason)
        return false
    }

    /// - Returns: True if it is time to subscribe again.
    mutating func retry(at now: MonotonicTime) -> Bool {
        guard case .waiting(let attempt, let until, reason: _) = self, now >= until else { return false }
        self = .subscribing(attempt: attempt + 1)
        return true
    }

    /// - Returns: True if the answer was awaited.
    mutating func fenceAnswered(_ answer: FenceAnswer) -> Bool {
        guard case .fenced(let since) = self else { return false }
        switch answer {
        case .value: self = .ready
        case .refused: self = .settling(until: since + Self.settleTime)
        case .notConnected: self = .unlinked
        }
        return true
    }

    /// - Returns: True if it has become ready: its time is over, although the timer may be late.
    mutating func settle(at now: MonotonicTime) -> Bool {
        guard let countsFrom, now >= countsFrom else { return false }
        self = .ready
        return true
    }

    /// The meaning of a value at present.
    var phase: Accessory.Phase {
        switch self {
        case .ready: .ready
        case .settling, .fenced: .settling
        case .absent, .subscribing, .waiting, .unlinked, .failed: .connecting
        }
    }

    /// True if it will report nothing on the present link.
    var isUseless: Bool {
        switch self {
        case .absent, .failed: true
        case .subscribing, .waiting, .fenced, .settling, .unlinked, .ready: false
        }
    }

    /// The time at which ``settle(at:)`` or ``retry(at:)`` has an effect at the latest; nil if that is not a
    /// question of time.
    var deadline: MonotonicTime? {
        if case .waiting(attempt: _, let until, reason: _) = self { until } else { countsFrom }
    }

    private var countsFrom: MonotonicTime? {
        switch self {
        case .fenced(let since): since + Self.fenceLimit
        case .settling(let until): until
        case .absent, .subscribing, .waiting, .unlinked, .ready, .failed: nil
        }
    }

    /// 0.5 s, doubling to 30 s.
    private static func delay(after attempt: Int) -> Duration {
        min(.milliseconds(500 << min(attempt - 1, 10)), .seconds(30))
    }
}
