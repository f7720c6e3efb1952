import PTTMessages

/// The interpretation of the presses of one accessory: its mode, and which presses do not count. It
/// owns the attempts to transmit, of which at most one is open.
///
/// - Hold: a press begins, its release ends.
/// - Toggle: one press begins, the next ends. Whether a press begins or ends depends on the core: after a
///   refusal, a time limit or any other end, the next press begins. A tap, which has no release, always
///   toggles.
/// - Latch: a press begins, and its release ends, or after a tap the next press.
///
/// Not counted as a press:
/// - A contact of less than ``GestureSettings/shortestPress``. Dirty plugs cause them every few seconds:
///   https://michael-prokop.at/blog/?p=7373. After ``phantomLimit`` of them within ``RecentTimes/window``, or
///   more than ``toggleLimit`` toggles in the same time, all buttons are locked until there was no event for
///   ``silence``.
/// - A press that would begin a transmission within ``spacing`` after the last toggle. One that ends it
///   always counts.
/// - A press while another button transmits; but an emergency ends that transmission and begins its own.
struct Gesture: Equatable, Sendable {
    /// The outcome of a press or a release, for those who watch.
    enum Verdict: Equatable, Sendable {
        case counted
        /// It is not known yet.
        case pending
        case ignored(String)
        /// The release of a button that was pressed long enough, although the timer has not said so yet.
        case pressAndReleaseCounted
    }

    struct Attempt: Equatable, Sendable {
        let identifier: AttemptID
        let role: ButtonRole
        /// Nil until the core has answered.
        var transmission: TransmissionID?
        /// Only while the button of a latch is down that began it: the time of its press.
        var pressed: MonotonicTime?
    }

    /// A button that is down, but not yet for ``GestureSettings/shortestPress``.
    struct Touch: Equatable, Sendable {
        let role: ButtonRole
        let since: MonotonicTime
        let sample: Sample
    }

    /// A button whose release is assumed at `deadline`.
    struct Hold: Equatable, Sendable {
        let role: ButtonRole
        let deadline: MonotonicTime
    }

    static let phantomLimit = 3
    static let toggleLimit = 10
    static let silence = Duration.seconds(5)
    static let spacing = Duration.milliseconds(250)

    let mode: ButtonMode
    let shortestPress: Duration
    let releaseAfter: Duration?

    var attempt: Attempt?
    private var attempts = 0
    /// The number of the last attempt whose end was ordered, or of a later one.
    private(set) var lastClosed = 0
    /// True if the core has answered an attempt that was over, while another one was open.
    var hasLateAnswer = false
    /// Buttons whose press counted, and whose release ends it.
    var holding = RoleSet()
    /// Buttons of whose release the core waits although their transmission is over.
    var awaitedReleases = RoleSet()
    /// Buttons that do not transmit and were reported as pressed.
    private var reported = RoleSet()
    var armed: ButtonRole?
    var touches: [Touch] = []
    var holds: [Hold] = []
    var lockedUntil: MonotonicTime?
    private var phantoms = RecentTimes()
    private var toggles = RecentTimes()
    private var lastToggled: ButtonRole?

    init(mode: ButtonMode, settings: GestureSettings) {
        self.mode = mode
        shortestPress = settings.shortestPress
        releaseAfter = settings.releaseAfter
    }

    // MARK: - Presses

    mutating func pressed(
        _ role: ButtonRole,
        _ sample: Sample,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) -> Verdict {
        if armed != nil, armed != role { armed = nil }
        if isLocked(at: now) { return .ignored("locked") }
        guard shortestPress > .zero else { return counts(role, since: now, at: now, &effects) }
        touches.append(Touch(role: role, since: now, sample: sample))
        return .pending
    }

    /// A press that was long enough.
    mutating func counts(
        _ role: ButtonRole,
        since pressed: MonotonicTime,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) -> Verdict {
        let verdict =
            switch (role.transmits, mode) {
            case (false, _): report(role, &effects)
            case (true, .toggle): toggle(role, at: now, &effects)
            case (true, .latch): latch(role, since: pressed, at: now, &effects)
            case (true, .hold), (true, .unknown): hold(role, &effects)
            }
        if verdict == .counted, let releaseAfter {
            holds.append(Hold(role: role, deadline: now + releaseAfter))
        }
        return verdict
    }

    /// A press whose release was not observed, `isAssumed`, was no tap that latches.
    mutating func released(
        _ role: ButtonRole,
        isAssumed: Bool = false,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) -> Verdict {
        forgetHold(role)
        if let touch = touches.first(where: { $0.role == role }) {
            touches.removeAll { $0.role == role }
            return ended(touch, isAssumed: isAssumed, at: now, &effects)
        }
        let isLocked = isLocked(at: now)
        if isAssumed || !latches(role, at: now, &effects) { end(role, &effects) }
        return isLocked ? .ignored("locked") : .counted
    }

    /// The release of a button whose press did not count.
    mutating func letGo(_ role: ButtonRole, at now: MonotonicTime, _ effects: inout EffectList) -> Verdict {
        let isLocked = isLocked(at: now)
        end(role, &effects)
        return isLocked ? .ignored("locked") : .counted
    }

    mutating func tapped(_ role: ButtonRole, at now: MonotonicTime, _ effects: inout EffectList) -> Verdict {
        armed = nil
        if isLocked(at: now) { return .ignored("locked") }
        guard role.transmits else {
            effects.order(.report(role, isPressed: true))
            effects.order(.report(role, isPressed: false))
            return .counted
        }
        return toggle(role, at: now, &effects)
    }

    private mutating func ended(
        _ touch: Touch,
        isAssumed: Bool,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) -> Verdict {
        guard now - touch.since < shortestPress else {
            // The timer is late.
            let verdict = counts(touch.role, since: touch.since, at: now, &effects)
            forgetHold(touch.role)
            if isAssumed || !latches(touch.role, at: now, &effects) { end(touch.role, &effects) }
            return verdict == .counted ? .pressAndReleaseCounted : verdict
        }
        if phantoms.add(now) >= Self.phantomLimit { lock(at: now, &effects) }
        return .ignored("too short for a press")
    }

    private mutating func hold(_ role: ButtonRole, _ effects: inout EffectList) -> Verdict {
        if let attempt {
            guard attempt.role == role || role == .emergency else { return .ignored(Self.isBusy) }
            stop(.released, attempt.role, &effects)
            // It had been begun by a tap: this press ends it as another tap would.
            if attempt.role == role { return .counted }
        }
        holding.insert(role)
        begin(role, &effects)
        return .counted
    }

    mutating func toggle(_ role: ButtonRole, at now: MonotonicTime, _ effects: inout EffectList) -> Verdict {
        let last = lastToggled == role ? toggles.last : nil
        lastToggled = role
        guard toggles.add(now) <= Self.toggleLimit else {
            lock(at: now, &effects)
            return .ignored("too often")
        }
        if let attempt {
            guard attempt.role == role || role == .emergency else { return .ignored(Self.isBusy) }
            stop(.released, attempt.role, &effects)
            if attempt.role == role { return .counted }
        } else if let last, now - last < Self.spacing {
            return .ignored("too soon after the last press")
        }
        begin(role, &effects)
        return .counted
    }

    private static let isBusy = "another of its buttons is transmitting"

    private mutating func report(_ role: ButtonRole, _ effects: inout EffectList) -> Verdict {
        reported.insert(role)
        effects.order(.report(role, isPressed: true))
        return .counted
    }

    // MARK: - Short and long presses of one button

    /// - Returns: True if the press was short: nothing else was pressed in between.
    mutating func fire(_ role: ButtonRole) -> Bool {
        defer { armed = nil }
        return armed == role
    }

    // MARK: - Attempts

    private mutating func begin(_ role: ButtonRole, _ effects: inout EffectList) {
        attempts += 1
        hasLateAnswer = false
        let identifier = AttemptID(rawValue: attempts)
        attempt = Attempt(identifier: identifier, role: role)
        effects.order(.begin(identifier, role))
    }

    /// Called with the order of its end, which the core receives after the request to begin.
    private mutating func closeAttempt() {
        attempt = nil
        lastClosed = attempts
    }

    /// Ends the transmission of one button.
    private mutating func stop(_ cause: EndCause, _ role: ButtonRole, _ effects: inout EffectList) {
        closeAttempt()
        holding.remove(role)
        effects.order(.end(cause, role))
    }

    /// Ends what a button holds, if it holds anything.
    private mutating func end(_ role: ButtonRole, _ effects: inout EffectList) {
        if reported.contains(role) {
            reported.remove(role)
            effects.order(.report(role, isPressed: false))
        } else if holding.contains(role) {
            if attempt?.role == role { closeAttempt() }
            holding.remove(role)
            effects.order(.end(.released, role))
        } else if awaitedReleases.contains(role) {
            awaitedReleases.remove(role)
            effects.order(.end(.released, role))
        }
    }

    /// Ends everything, because what could end it is lost.
    mutating func loseAll(_ cause: EndCause, _ effects: inout EffectList) {
        if attempt != nil || !holding.isEmpty { effects.order(.end(cause, nil)) }
        closeAttempt()
        holding = RoleSet()
        for role in reported { effects.order(.report(role, isPressed: false)) }
        reported = RoleSet()
        armed = nil
        touches = []
        holds = []
    }

    private mutating func lock(at now: MonotonicTime, _ effects: inout EffectList) {
        lockedUntil = now + Self.silence
        phantoms = RecentTimes()
        toggles = RecentTimes()
        loseAll(.released, &effects)
    }

    /// Each event of a locked button prolongs the lock.
    private mutating func isLocked(at now: MonotonicTime) -> Bool {
        guard lockedUntil != nil else { return false }
        lockedUntil = now + Self.silence
        return true
    }
}
