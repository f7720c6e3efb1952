import PTTMessages

/// The data that an accessory sent, as it is shown to people.
enum Sample: Equatable, Sendable {
    case bytes([UInt8])
    case key(UInt16)
    case nothing

    var text: String? {
        switch self {
        case .bytes(let value): hexadecimal(value)
        case .key(let code): KeyLink.name(of: code)
        case .nothing: nil
        }
    }
}

/// The bytes for people, two digits each. An attribute may have 512 bytes; for a button the first 20 are
/// enough.
func hexadecimal(_ value: [UInt8]) -> String {
    Array(value.prefix(20)).hexadecimal + (value.count > 20 ? " …" : "")
}

extension Accessory {
    /// One thing that an accessory sent, and what is to be published of it.
    struct Report {
        let sample: Sample
        let input: Int
        let time: MonotonicTime
        let phase: Phase
        /// Describes the rest of what was sent: a heartbeat.
        var note: String?
        var isPublished = false
        /// Why it changed nothing.
        var passed = Passed.nothing
        /// Buttons that were let go without an observed press.
        var releasesWithoutPress = RoleSet()

        var areEdges: Bool { phase == .ready }

        mutating func pass(_ passed: Passed) {
            self.passed = max(self.passed, passed)
        }
    }

    /// The meaning of a change of level at present.
    enum Phase: Equatable, Sendable {
        /// It is a level.
        case connecting
        /// The first value of a button is a level, each later one an edge.
        case settling
        /// It is an edge.
        case ready
    }

    /// Why a signal has no effect, in ascending order of interest.
    enum Passed: Comparable {
        case nothing, alreadyReleased, alreadyPressed, mirrored, repeated, releasedWhileConnecting,
            pressedWhileConnecting
        case letGo, notObserved
    }
}

extension [Signal] {
    /// True if they say nothing of any button.
    var areUnknown: Bool {
        allSatisfy { signal in
            switch signal {
            case .uncertain, .unknown: true
            case .down, .up, .tap, .arm, .fire, .level, .alive, .battery: false
            }
        }
    }

    /// Of a heartbeat, or of what is not known.
    var note: String? {
        for signal in self {
            switch signal {
            case .alive: return "heartbeat"
            case .unknown(let reason): return reason
            case .down, .up, .tap, .arm, .fire, .level, .battery, .uncertain: break
            }
        }
        return nil
    }
}
