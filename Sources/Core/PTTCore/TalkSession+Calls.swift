import PTTMessages

// A call has the microphone and the ear of the person: push-to-talk yields to it, and nothing resumes by
// itself after it.
extension TalkSession {
    mutating func callChanged(_ call: ActiveCall?) {
        guard call != surroundings.call else { return }
        let earlier = surroundings.call
        surroundings.call = call
        effects.publish(.callChanged(call: call))
        switch (earlier, call) {
        case (nil, let call?): yield(to: call)
        case (_?, nil): audio.endInterruption(effects: &effects)
        case (_?, _?), (nil, nil): break
        }
    }

    /// The interruption comes first, then the end of the transmission, then that of the audio session.
    private mutating func yield(to call: ActiveCall) {
        let role = lease?.transmission.rank ?? .talk
        if audio.state != .inactive, surroundings.callObstacle(to: role) != nil {
            audio.interrupt(.call, effects: &effects)
        }
        yieldTransmission()
        interrupt(.call, refusal: .callActive(call))
        if case .interrupted(let participant, _, since: _) = channel?.reception {
            channel?.reception = .unheard(participant)
        }
    }

    mutating func recordersChanged(_ recorders: [String]) {
        guard recorders != self.recorders else { return }
        self.recorders = recorders
        effects.publish(.recordersChanged(recorders: recorders))
    }
}
