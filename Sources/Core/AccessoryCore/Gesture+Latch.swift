import PTTMessages

// A button that is held to talk, and that a tap keeps on.

extension Gesture {
    /// A press that is released within this time is a tap. After the talk permit tone too little of it is
    /// left to say a word, and a person taps in a third of it.
    static let tapTime = Duration.milliseconds(300)

    /// The press ends what a tap keeps on, and not its release: what is open closes as soon as the person
    /// wants it to. It counts as a toggle does, because a dirty contact would keep the microphone open too.
    mutating func latch(
        _ role: ButtonRole,
        since pressed: MonotonicTime,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) -> Verdict {
        let verdict = toggle(role, at: now, &effects)
        guard verdict == .counted, attempt?.role == role else { return verdict }
        attempt?.pressed = pressed
        holding.insert(role)
        return verdict
    }

    /// The release of a tap ends nothing. The core may not have answered yet: if it refuses, or has ended the
    /// transmission, nothing is kept on, and the next press begins.
    ///
    /// - Returns: True if the release was that of a tap that has begun a transmission.
    mutating func latches(_ role: ButtonRole, at now: MonotonicTime, _ effects: inout EffectList) -> Bool {
        guard let attempt, attempt.role == role, let pressed = attempt.pressed, now - pressed < Self.tapTime
        else { return false }
        self.attempt?.pressed = nil
        holding.remove(role)
        effects.order(.latch(role))
        return true
    }
}
