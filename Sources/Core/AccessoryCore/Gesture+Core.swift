import PTTMessages

// The answers of the core, and time.

extension Gesture {
    /// A transmission that nothing waits for is ended, unless its end was ordered before the core has
    /// answered. While a later attempt is open, an end would end that one as well: the core ended the earlier
    /// one when it received its end, unless it refuses the later one.
    mutating func began(
        _ transmission: TransmissionID,
        _ identifier: AttemptID,
        _ effects: inout EffectList
    ) {
        guard let attempt else {
            if identifier.rawValue > lastClosed { effects.order(.end(.released, nil)) }
            return
        }
        if attempt.identifier == identifier {
            self.attempt?.transmission = transmission
        } else {
            hasLateAnswer = true
        }
    }

    mutating func refused(
        _ code: RefusalCode,
        _ identifier: AttemptID,
        _ buttons: Buttons,
        _ effects: inout EffectList
    ) {
        guard let attempt, attempt.identifier == identifier else { return }
        self.attempt = nil
        if hasLateAnswer { effects.order(.end(.released, nil)) }
        hasLateAnswer = false
        if code == .transmissionNotAllowed { awaitRelease(attempt.role, buttons, &effects) }
    }

    mutating func transmissionEnded(
        _ transmission: TransmissionID,
        _ cause: EndCause,
        _ buttons: Buttons,
        _ effects: inout EffectList
    ) {
        guard let attempt, attempt.transmission == transmission else { return }
        self.attempt = nil
        if cause == .timeLimit { awaitRelease(attempt.role, buttons, &effects) }
    }

    mutating func coreLost() {
        attempt = nil
        hasLateAnswer = false
        awaitedReleases = RoleSet()
    }

    /// The core requires a release before the next transmission. For a toggle that is the release of the
    /// button itself, not the second press; a held button sends it in any case.
    private mutating func awaitRelease(_ role: ButtonRole, _ buttons: Buttons, _ effects: inout EffectList) {
        guard !holding.contains(role) else { return }
        switch buttons[role] {
        case .pressed, .held: awaitedReleases.insert(role)
        case .released, .unknown: effects.order(.end(.released, role))
        }
    }

    var deadline: MonotonicTime? {
        var deadline = lockedUntil
        for touch in touches { deadline = earlier(deadline, touch.since + shortestPress) }
        for hold in holds { deadline = earlier(deadline, hold.deadline) }
        return deadline
    }

    mutating func unlock(at now: MonotonicTime) {
        if let until = lockedUntil, now >= until { lockedUntil = nil }
    }

    /// A press that has become long enough.
    mutating func nextLongTouch(at now: MonotonicTime) -> Touch? {
        guard let index = touches.firstIndex(where: { now - $0.since >= shortestPress }) else { return nil }
        return touches.remove(at: index)
    }

    mutating func forgetHold(_ role: ButtonRole) {
        guard !holds.isEmpty else { return }
        holds.removeAll { $0.role == role }
    }

    /// A button that was down for too long.
    mutating func nextExpiredHold(at now: MonotonicTime) -> ButtonRole? {
        guard let index = holds.firstIndex(where: { now >= $0.deadline }) else { return nil }
        return holds.remove(at: index).role
    }
}

/// The earlier of two times, of which either may be missing.
func earlier(_ left: MonotonicTime?, _ right: MonotonicTime?) -> MonotonicTime? {
    guard let left, let right else { return left ?? right }
    return min(left, right)
}
