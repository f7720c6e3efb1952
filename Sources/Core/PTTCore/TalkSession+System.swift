import PTTMessages

extension TalkSession {
    mutating func systemSuspending(effects: inout EffectCollector) {
        endTransmission(.suspended, effects: &effects)
        interrupt(.suspended, refusal: .suspending, effects: &effects)
        if power == .awake { power = .suspending }
    }

    mutating func systemResumed(effects: inout EffectCollector) {
        guard power == .suspending else { return }
        power = .awake
        resumeReception(effects: &effects)
    }

    mutating func sessionLocked(effects: inout EffectCollector) {
        isLocked = true
        switch whileLocked {
        case .allow: break
        case .refuse: endTransmission(.sessionLocked, effects: &effects)
        }
    }

    mutating func sessionInactive(effects: inout EffectCollector) {
        isSessionActive = false
        endTransmission(.sessionInactive, effects: &effects)
        interrupt(.sessionInactive, refusal: .sessionInactive, effects: &effects)
    }

    mutating func sessionActive(effects: inout EffectCollector) {
        isSessionActive = true
        resumeReception(effects: &effects)
    }

    mutating func stateSaved(effects: inout EffectCollector) {
        guard saveFailure != nil else { return }
        saveFailure = nil
        effects.publish(.stateSaved)
    }

    mutating func stateNotSaved(reason: String, effects: inout EffectCollector) {
        guard saveFailure != reason else { return }
        saveFailure = reason
        effects.publish(.stateNotSaved(reason: reason))
    }

    mutating func shuttingDown(effects: inout EffectCollector) {
        endTransmission(.shuttingDown, effects: &effects)
        updateChannel { $0.clearParticipant(.shuttingDown, effects: &effects) }
        power = .shuttingDown
    }

    mutating func timerFired(effects: inout EffectCollector) {
        // It fires once: the next deadline must be set again even if it is the same time.
        timer = nil
        checkStart(effects: &effects)
        updateChannel { channel in
            channel.checkPushes(effects: &effects)
            channel.audio.checkGate(at: effects.now)
        }
        checkLease(effects: &effects)
    }
}
