import PTTMessages

// A call has the microphone and the ear of the person: push-to-talk yields to it, and nothing resumes by
// itself after it.
extension TalkSession {
    mutating func callChanged(_ call: ActiveCall?, effects: inout EffectCollector) {
        guard call != surroundings.call else { return }
        let earlier = surroundings.call
        surroundings.call = call
        effects.publish(.callChanged(call: call))
        switch (earlier, call) {
        case (nil, let call?): yield(to: call, effects: &effects)
        case (_?, nil): audio.endInterruption(effects: &effects)
        case (_?, _?), (nil, nil): break
        }
    }

    /// The interruption comes first, then the end of the transmission, then that of the audio session.
    private mutating func yield(to call: ActiveCall, effects: inout EffectCollector) {
        if surroundings.callObstacle(to: lease?.transmission.rank ?? .talk) != nil {
            audio.interrupt(.call, effects: &effects)
        }
        yieldTransmission(effects: &effects)
        silenceReception(.callActive(call), effects: &effects)
    }

    mutating func recordersChanged(_ recorders: [String], effects: inout EffectCollector) {
        guard recorders != self.recorders else { return }
        self.recorders = recorders
        effects.publish(.recordersChanged(recorders: recorders))
    }
}
