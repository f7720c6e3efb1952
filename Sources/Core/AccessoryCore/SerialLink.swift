import PTTMessages

/// The readiness of a serial port.
///
/// Within ``settleTime`` after it has opened, what it sends only reports the level: a microphone that is held while it
/// reconnects may say so.
struct SerialLink: Equatable, Sendable {
    enum State: Equatable, Sendable {
        case closed
        case settling(until: MonotonicTime)
        case open
    }

    static let settleTime = Duration.milliseconds(500)

    private(set) var state = State.closed

    mutating func opened(at now: MonotonicTime) {
        state = .settling(until: now + Self.settleTime)
    }

    mutating func closed() {
        state = .closed
    }

    /// - Returns: Whether it has become ready: its settle time is over, although the timer may be late.
    mutating func settle(at now: MonotonicTime) -> Bool {
        guard case .settling(let until) = state, now >= until else { return false }
        state = .open
        return true
    }

    var deadline: MonotonicTime? {
        switch state {
        case .settling(let until): until
        case .closed, .open: nil
        }
    }

    var linkState: LinkState {
        switch state {
        case .closed: .away
        case .settling: .connecting
        case .open: .ready
        }
    }
}
