import AccessoryCore
import PTTMessages

/// The contract of ``Accessory``, told by what happens to it alone: a transmission begins only with a press
/// that was observed as it happened, and ends with every loss.
struct AccessoryOracle {
    /// One event, and what it is by the description of the accessory: presses and releases are listed by
    /// hand, so that no decoder is asked.
    enum Step {
        case event(Accessory.Event, press: ButtonRole? = nil, release: Set<ButtonRole> = [])
        /// The core accepts the last attempt.
        case accepted
        /// The core accepts an attempt of which the accessory knows nothing, so that it has not ordered its
        /// end.
        case acceptedUnknown
        case refused
        /// The core ends its last transmission.
        case ended(EndCause)
    }

    private enum Level {
        case unknown, up, down
    }

    private let isToggle: Bool
    private let isLatch: Bool
    private let taps: Set<ButtonRole>
    private var levels: [ButtonRole: Level] = [:]
    /// Buttons whose last press was observed and may begin.
    private var observed: Set<ButtonRole> = []
    /// When each button was pressed last.
    private var pressed: [ButtonRole: MonotonicTime] = [:]
    private var enabled: Set<Int> = []
    private var isPermitted = true
    private var isRemoved = false
    private var plugged: MonotonicTime?
    private var open: ButtonRole?
    private var attempts = 0
    private var transmission = 0
    /// True if the core has accepted the attempt of the open transmission.
    private var isAccepted = false

    /// - Parameters:
    ///   - isToggle: True if a press of the talk button toggles.
    ///   - isLatch: True if a tap of the talk button keeps it on.
    ///   - taps: Buttons that never report their release.
    init(isToggle: Bool, isLatch: Bool = false, taps: Set<ButtonRole> = []) {
        self.isToggle = isToggle
        self.isLatch = isLatch
        self.taps = taps
    }

    func event(of step: Step) -> Accessory.Event {
        switch step {
        case .event(let event, press: _, release: _): event
        case .accepted: .began(TransmissionID(rawValue: transmission + 1), AttemptID(rawValue: attempts))
        case .acceptedUnknown:
            .began(TransmissionID(rawValue: 1_000_000), AttemptID(rawValue: attempts + 1_000))
        case .refused: .refused(.transmissionNotAllowed, AttemptID(rawValue: attempts))
        case .ended(let cause): .transmissionEnded(TransmissionID(rawValue: transmission), cause)
        }
    }

    /// - Returns: The fault in the effects of a step; nil if there is none.
    mutating func check(_ step: Step, _ effects: [Accessory.Effect], at now: MonotonicTime) -> String? {
        let before = open
        let wasDown = open.map { levels[$0] == .down } ?? false
        var (press, releases, isLoss): (ButtonRole?, Set<ButtonRole>, Bool) = (nil, [], false)
        var isCounted = false
        switch step {
        case .event(let event, let pressed, let released):
            (press, releases) = (pressed, released)
            isLoss = apply(event, at: now)
        case .accepted:
            transmission += 1
            isAccepted = open != nil
        case .acceptedUnknown:
            if open == nil, !effects.contains(where: { if case .end = $0 { true } else { false } }) {
                return "a transmission that nothing waits for goes on"
            }
        case .refused, .ended: break
        }
        if let press { isCounted = apply(press: press, at: now) }
        for effect in effects {
            if let violation = apply(effect, at: now) { return violation }
        }
        for role in releases {
            levels[role] = .up
            observed.remove(role)
        }
        switch step {
        case .refused: open = nil
        case .ended: if isAccepted { open = nil }
        case .event(.coreLost, press: _, release: _): open = nil
        case .event, .accepted, .acceptedUnknown: break
        }
        if isLoss, let open { return "\(open) outlives a loss" }
        if !isToggle, let open, open == before, releases.contains(open), !taps.contains(open) {
            if !isLatch { return "\(open) outlives its release" }
            guard wasDown else { return nil }
            let isTap = pressed[open].map { now - $0 < .milliseconds(300) } ?? false
            let isOrdered = effects.contains(.latch(open))
            if !isTap { return "\(open) outlives the release of a hold" }
            if !isOrdered { return "\(open) is kept on in silence" }
        }
        if isLatch, let press, press == open, press == before, isCounted {
            return "\(press) stays on after another press"
        }
        return nil
    }

    /// - Returns: True if everything that could end a transmission is lost.
    private mutating func apply(_ event: Accessory.Event, at now: MonotonicTime) -> Bool {
        switch event {
        case .gatt(.connected), .gatt(.sharedLinkConnected), .gatt(.servicesGone), .gatt(.disconnected),
            .gatt(.bluetoothLost), .stream(.opened), .stream(.closed), .stream(.bluetoothLost):
            enabled = []
            forget()
            return true
        case .gatt(.servicesResolved(let found)):
            guard found.isEmpty else { return false }
            enabled = []
            forget()
            return true
        case .gatt(.notificationsEnabled(let input)):
            enabled.insert(input)
            return false
        case .gatt(.notificationsStopped(let input)):
            guard enabled.contains(input) else { return false }
            enabled = []
            forget()
            return true
        case .keys(.deviceRemoved):
            isRemoved = true
            return true
        case .keys(.plugChanged):
            plugged = now
            observed = []
            return true
        case .keys(.eventsLost), .keys(.resynchronised):
            observed = []
            return true
        case .permissionChanged(let permission):
            if isPermitted, permission == .given { return false }
            isPermitted = permission == .given
            observed = []
            return !isPermitted
        case .gatt(.notificationsFailed), .gatt(.fenceAnswered), .gatt(.valueNotified), .gatt(.valueSeen),
            .stream(.bytesReceived), .stream(.advertised), .stream(.unavailable), .keys(.pressed),
            .keys(.released), .began, .refused, .transmissionEnded, .coreLost, .renamed, .batteryChanged,
            .adviceChanged, .timerFired:
            return false
        }
    }

    private mutating func forget() {
        levels = [:]
        observed = []
    }

    /// - Returns: True if the press may begin or end a transmission.
    private mutating func apply(press role: ButtonRole, at now: MonotonicTime) -> Bool {
        let isMoving = plugged.map { now - $0 < .seconds(1) } ?? false
        let wasDown = levels[role] == .down && !taps.contains(role)
        levels[role] = .down
        guard isPermitted, !isRemoved, !isMoving, !wasDown else { return false }
        observed.insert(role)
        pressed[role] = now
        return true
    }

    private mutating func apply(_ effect: Accessory.Effect, at now: MonotonicTime) -> String? {
        switch effect {
        case .begin(let attempt, let role):
            guard role.transmits else { return "\(role) transmits" }
            guard observed.remove(role) != nil else { return "\(role) begins without an observed press" }
            guard isPermitted else { return "\(role) begins without permission" }
            if let open { return "\(role) begins while \(open) transmits" }
            guard attempt.rawValue == attempts + 1 else {
                return "attempt \(attempt.rawValue) is not the next"
            }
            attempts += 1
            open = role
            isAccepted = false
        case .end(_, let role): if role == nil || role == open { open = nil }
        case .report(let role, isPressed: _): if role.transmits { return "\(role) is only reported" }
        case .setTimer(let time): if time < now { return "the timer is set to the past" }
        case .latch(let role):
            if open != role { return "\(role) is kept on and does not transmit" }
            if levels[role] != .down { return "\(role) is kept on without a press" }
        case .letGo, .subscribe, .fence, .disconnect, .cancelTimer, .publish: break
        }
        return nil
    }
}
