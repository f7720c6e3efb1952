import PTTMessages

/// The level of each button of one accessory. All its inputs report to the same levels, so that an edge that
/// is reported twice, by repetition or by two characteristics, is one edge.
struct Buttons: Sendable {
    enum Level: Equatable, Sendable {
        case unknown
        case released
        /// Pressed, but the press does not count: it was not observed, or nothing could begin.
        case held
        /// Pressed, and the press was observed.
        case pressed
    }

    /// The longest time by which a second input repeats an edge.
    static let mirrorLag = Duration.milliseconds(100)
    /// The time within which the same tap is the same one, as bluetoothd passes it on for each client that
    /// listens. Nobody taps twice in it.
    static let tapRepetition = Duration.milliseconds(50)

    private var known = RoleSet()
    private var down = RoleSet()
    private var counted = RoleSet()
    private var lastRelease: (role: ButtonRole, input: Int, time: MonotonicTime)?
    private var lastTap: (role: ButtonRole, sample: Sample, time: MonotonicTime)?

    subscript(role: ButtonRole) -> Level {
        get {
            guard known.contains(role) else { return .unknown }
            guard down.contains(role) else { return .released }
            return counted.contains(role) ? .pressed : .held
        }
        set {
            if newValue == .unknown { known.remove(role) } else { known.insert(role) }
            if newValue == .held || newValue == .pressed { down.insert(role) } else { down.remove(role) }
            if newValue == .pressed { counted.insert(role) } else { counted.remove(role) }
        }
    }

    var isAnyDown: Bool { !down.isEmpty }

    /// Buttons whose press was observed and which are still down.
    var pressed: RoleSet { counted }

    var isAnyHeld: Bool { down != counted }

    /// Buttons of which nothing is known report edges only, and are assumed to be released.
    mutating func assumeReleased(_ roles: RoleSet) {
        known.formUnion(roles)
    }

    /// No press that is down now counts any more.
    mutating func discountPresses() {
        counted = RoleSet()
    }

    /// Buttons of which nothing reports the present level.
    mutating func release(_ roles: RoleSet) {
        down.subtract(roles)
        counted.subtract(roles)
    }

    mutating func noteRelease(of role: ButtonRole, by input: Int, at now: MonotonicTime) {
        lastRelease = (role, input, now)
    }

    /// Returns true if a press repeats one that another input has reported together with its release.
    func isMirrored(_ role: ButtonRole, by input: Int, at now: MonotonicTime) -> Bool {
        guard let last = lastRelease, last.role == role, last.input != input else { return false }
        return now - last.time < Self.mirrorLag
    }

    mutating func isFirstTap(_ role: ButtonRole, _ sample: Sample, at now: MonotonicTime) -> Bool {
        if let last = lastTap, last.role == role, last.sample == sample, now - last.time < Self.tapRepetition
        {
            return false
        }
        lastTap = (role, sample, now)
        return true
    }
}
