import PTTMessages

/// The readiness of an input device: it is there from the start, until it is removed.
struct KeyLink: Equatable, Sendable {
    /// The time for which the keys do not count after the plug was moved: its contacts touch those of the key
    /// on the way.
    static let plugTime = Duration.seconds(1)

    var isRemoved = false
    /// The time at which the plug was moved.
    var plugged: MonotonicTime?

    /// Returns true if the plug was moved just now. A key's time may be a little before that of the switch.
    func isPlugMoving(at now: MonotonicTime) -> Bool {
        guard let plugged else { return false }
        return now - plugged < Self.plugTime
    }

    var linkState: LinkState { isRemoved ? .away : .ready }

    static func name(of code: UInt16) -> String {
        switch code {
        case 164: "KEY_PLAYPAUSE"
        case 200: "KEY_PLAYCD"
        case 201: "KEY_PAUSECD"
        case 226: "KEY_MEDIA"
        case let code: "key \(code)"
        }
    }
}
