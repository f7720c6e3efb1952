import PTTMessages

/// The readiness of what is received without a subscription: from a serial port, or by advertisements.
///
/// Within ``settleTime`` after it has opened, what it sends only reports the level: a microphone that is held
/// while it reconnects may say so, and a button repeats the advertisement of its last press.
enum StreamLink: Equatable, Sendable {
    /// The remark is for people: why it is not open.
    case closed(remark: String?)
    case settling(until: MonotonicTime)
    case open

    static let settleTime = Duration.milliseconds(500)

    var remark: String? {
        if case .closed(let remark) = self { remark } else { nil }
    }

    /// - Returns: True if it has become ready: its settle time is over, although the timer may be late.
    mutating func settle(at now: MonotonicTime) -> Bool {
        guard case .settling(let until) = self, now >= until else { return false }
        self = .open
        return true
    }

    var deadline: MonotonicTime? {
        if case .settling(let until) = self { until } else { nil }
    }

    var linkState: LinkState {
        switch self {
        case .closed: .away
        case .settling: .connecting
        case .open: .ready
        }
    }

    var phase: Accessory.Phase {
        switch self {
        case .closed: .connecting
        case .settling: .settling
        case .open: .ready
        }
    }
}
