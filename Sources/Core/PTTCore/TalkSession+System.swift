import PTTMessages

extension TalkSession {
    mutating func stateSaved() {
        guard saveFailure != nil else { return }
        saveFailure = nil
        effects.publish(.stateSaved)
    }

    mutating func stateNotSaved(reason: String) {
        guard saveFailure != reason else { return }
        saveFailure = reason
        effects.publish(.stateNotSaved(explanation: reason))
    }

    mutating func timerFired() {
        // It fires once: the next deadline must be set again even if it is the same time.
        effects.standing.timer = nil
        checkStart()
        channel?.checkPushes(effects: &effects)
        checkGate()
        checkLease()
    }
}
