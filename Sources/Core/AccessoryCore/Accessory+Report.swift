import PTTMessages

/// What an accessory sent, as it is shown to people.
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

/// The bytes for people, two digits each. An attribute may have 512 bytes; for a button the first 20 are enough.
func hexadecimal(_ value: [UInt8]) -> String {
    var text = ""
    for byte in value.prefix(20) {
        if !text.isEmpty { text += " " }
        text += String(hexadecimal: UInt64(byte), digits: 2)
    }
    return value.count > 20 ? text + " …" : text
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
        var lettings = RoleSet()
        /// Buttons that it says are up.
        var ups = RoleSet()
        /// The earlier value whose edges this one confirms.
        var confirmed: Unconfirmed?
        /// Edges that the next value confirms.
        var pendingDowns = RoleSet()
        var pendingUps = RoleSet()

        var areEdges: Bool { phase == .ready }
    }

    /// What a change of level means at present.
    enum Phase: Equatable, Sendable {
        /// It is a level.
        case connecting
        /// It is a level, or an edge if another value follows: the newest value may be that of our own read, which BlueZ
        /// signals as it does a notification, and which need not be the button's level.
        case fenced
        /// The first value of a button is a level, each later one an edge.
        case settling
        /// It is an edge.
        case ready
    }

    /// The newest value of an input while its read is not answered.
    struct Unconfirmed: Equatable, Sendable {
        let input: Int
        let value: [UInt8]
        /// Buttons that were up before, and down in it.
        let downs: RoleSet
        /// Buttons that it says were let go.
        let ups: RoleSet
    }

    /// Why a signal has no effect, in ascending order of interest.
    enum Passed: Int, Comparable {
        case nothing, alreadyReleased, alreadyPressed, mirrored, releasedWhileConnecting,
            pressedWhileConnecting
        case letGo, notObserved

        static func < (left: Passed, right: Passed) -> Bool { left.rawValue < right.rawValue }
    }
}

extension Accessory.Report {
    mutating func pass(_ passed: Accessory.Passed) {
        self.passed = max(self.passed, passed)
    }
}

extension [Signal] {
    /// Whether they say nothing of any button.
    var areUnknown: Bool {
        allSatisfy { if case .unknown = $0 { true } else { false } }
    }

    /// Of a heartbeat, or of what is not known.
    var note: String? {
        for signal in self {
            switch signal {
            case .alive: return "heartbeat"
            case .unknown(let reason): return reason
            case .down, .up, .tap, .arm, .fire, .level, .battery: break
            }
        }
        return nil
    }
}
