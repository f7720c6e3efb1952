import PTTMessages

/// A condition that prevents a transmission or a reception for as long as it lasts.
struct Obstacle: Equatable, Sendable {
    /// Why a request is refused meanwhile.
    let refusal: RefusalCause
    /// The cause for which it ends a transmission when it arises; nil: it only prevents that one begins.
    let end: EndCause?
    /// The interruption that it causes in a reception when it arises; nil: the reception ends.
    let interruption: Interruption?

    init(_ refusal: RefusalCause, ends end: EndCause?, interrupts interruption: Interruption? = nil) {
        self.refusal = refusal
        self.end = end
        self.interruption = interruption
    }
}

// The conditions under which the machine transmits and receives, each once: requests are refused by them,
// what goes on yields to them, and the invariants check that it has. A new one is a line.
extension TalkSession {
    /// A press that asks for a transmission, which more prevents than what ends one.
    struct Press {
        let request: ChannelInterface.BeginRequest
        let client: ClientID
        let time: MonotonicTime
    }

    /// Returns the obstacle to a transmission of this button, or with a press to its beginning. The first
    /// reason is the one that is given.
    func obstacle(toTransmitting role: ButtonRole, asking press: Press? = nil) -> Obstacle? {
        if let obstacle = virtualMicrophoneObstacle ?? machineObstacle ?? lockObstacle { return obstacle }
        if let press, !mayBegin(press.request, from: press.client, graceAt: press.time) {
            return Obstacle(.notInForeground(channel?.owner), ends: nil)
        }
        // Before all reasons that concern a transmission: this press asks for none.
        if press?.request.source == .handsfreeButton, channel?.areAccessoryEventsEnabled == false {
            return Obstacle(.accessoriesOff, ends: nil)
        }
        if let call, !isExemptFromCalls(role) { return Obstacle(.callActive(call), ends: .callActive) }
        if press != nil, let lease, lease.released == nil,
            !role.preempts(lease.transmission.role)
        {
            return Obstacle(.inProgress(lease.transmission), ends: nil)
        }
        if let obstacle = channel?.obstacle(toTransmitting: role) { return obstacle }
        if press != nil, let status = channel?.running?.serviceStatus, status != .ready {
            return Obstacle(.notReady(status, channel?.owner), ends: nil)
        }
        if let obstacle = audioObstacle { return obstacle }
        guard let press else { return nil }
        if timeOutLock.isLocked(press.request.origin, role) {
            return Obstacle(.timedOut(press.request.origin), ends: nil)
        }
        return switch channel?.presence {
        case .absent(let absent) where absent.owner.activation == nil:
            Obstacle(.absent(absent.owner), ends: nil)
        case .absent, .unowned, .starting, .running, nil: nil
        }
    }

    /// The obstacle to hearing a participant, but for a call, which silences one for good.
    var receptionObstacle: Obstacle? { machineObstacle ?? audioObstacle }

    /// The obstacle to both transmission and reception, whatever the channel is.
    var machineObstacle: Obstacle? {
        switch power {
        case .awake: break
        case .suspending: return Obstacle(.suspending, ends: .suspended, interrupts: .suspended)
        case .shuttingDown: return Obstacle(.shuttingDown, ends: .shuttingDown)
        }
        return switch isSessionActive {
        case true?: nil
        case false?: Obstacle(.sessionInactive, ends: .sessionInactive, interrupts: .sessionInactive)
        case nil: Obstacle(.sessionUnknown, ends: .sessionInactive, interrupts: .sessionInactive)
        }
    }

    var lockObstacle: Obstacle? {
        switch (whileLocked, isLocked) {
        case (.allow, _), (.refuse, false?): nil
        case (.refuse, true?): Obstacle(.sessionLocked, ends: .sessionLocked)
        case (.refuse, nil): Obstacle(.lockUnknown, ends: .sessionLocked)
        }
    }

    /// The audio server, and the application's audio socket.
    private var audioObstacle: Obstacle? {
        if !isAudioServerReady {
            return Obstacle(.noAudioServer, ends: .audioServerLost, interrupts: .audioServerLost)
        }
        guard let receiver = channel?.receiver, clientsWithoutAudio.contains(receiver) else { return nil }
        let refusal = RefusalCause.noAudioConnection(channel?.owner)
        return Obstacle(refusal, ends: .audioConnectionLost, interrupts: .audioConnectionLost)
    }

    /// Without a channel nothing is heard of a press unless somebody records from the Push-to-Talk
    /// Microphone.
    private var virtualMicrophoneObstacle: Obstacle? {
        guard channel == nil else { return nil }
        return switch virtualMicrophone {
        case .off, .unavailable: Obstacle(.notJoined, ends: .recorderGone)
        case .idle: Obstacle(.noRecorder, ends: .recorderGone)
        case .recorded:
            policy.restriction(of: Policy.virtualMicrophone).map { Obstacle($0, ends: .channelLeft) }
        }
    }

    func isExemptFromCalls(_ role: ButtonRole) -> Bool { role == .emergency && emergencyDuringCalls }

    /// Ends a transmission that an obstacle prevents. It runs after each transition, and within one where the
    /// end of the transmission is published before what has caused it.
    mutating func yieldTransmission(effects: inout EffectCollector) {
        guard let lease, let end = obstacle(toTransmitting: lease.transmission.role)?.end
        else { return }
        endTransmission(end, effects: &effects)
    }

    /// Interrupts a reception when an obstacle has arisen, and continues it when none is left.
    mutating func yieldReception(before: Obstacle?, effects: inout EffectCollector) {
        let obstacle = receptionObstacle
        guard obstacle != before else { return }
        guard let obstacle else { return resumeReception(effects: &effects) }
        guard let interruption = obstacle.interruption else {
            return clearParticipant(obstacle.refusal, effects: &effects)
        }
        interrupt(interruption, refusal: obstacle.refusal, effects: &effects)
    }
}

extension JoinedChannel {
    /// The mode that the application has set, and in half duplex the participant.
    fileprivate func obstacle(toTransmitting role: ButtonRole) -> Obstacle? {
        switch transmissionMode {
        case .listenOnly, .unknown: Obstacle(.listenOnly, ends: .modeChanged)
        case .halfDuplex:
            role.talksOver
                ? nil : participant.map { Obstacle(.remoteSpeaks($0.name), ends: .modeChanged) }
        case .fullDuplex: nil
        }
    }
}
