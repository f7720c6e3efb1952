import PTTMessages

extension TalkSession {
    /// Plays a tone unless the microphone would capture it, or the person at this machine would not hear it.
    mutating func play(_ tone: Tone) {
        guard lease == nil, surroundings.isAudioServerReady, surroundings.obstacle == nil else { return }
        effects.play(tone)
    }

    /// The tone of a press that is refused. An application that asks for a transmission by itself knows from
    /// the answer.
    mutating func playRefusal(of source: TransmitSource, _ refusal: RefusalCause) {
        guard source != .developerRequest, refusal != .accessoriesOff else { return }
        let tone: Tone = if case .remoteSpeaks = refusal { .busy } else { .denied }
        play(tone)
    }
}

extension EndCause {
    /// The tone of an end; nil if there is none. A press that was too short for the microphone to deliver has
    /// no end tone.
    func tone(wasLive: Bool) -> Tone? {
        switch self {
        case .timeLimit: .timeLimitReached
        case .linkLost, .deviceRemoved: .accessoryLost
        case .microphoneLost, .noMicrophone, .microphoneMuted, .applicationUnavailable: .denied
        case .floorTaken: .busy
        case .unknown, .released, .stopped, .connectionLost, .applicationGone, .audioConnectionLost,
            .channelLeft, .sessionLocked, .modeChanged, .callActive, .recorderGone:
            wasLive ? .end : nil
        // The next transmission has its own tone, or there is nothing or no person to play one to.
        case .preempted, .audioServerLost, .suspended, .sessionInactive, .shuttingDown: nil
        }
    }
}
