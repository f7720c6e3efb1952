import PTTMessages

// The conditions under which the core transmits and receives, each once and in their order: requests are
// refused by them, what goes on yields to them, and the invariants check that it has. A new one is a line.
extension TalkSession {
    /// A press that asks for a transmission, which more prevents than what ends one.
    struct Press {
        let request: ChannelInterface.BeginRequest
        let client: ClientID

        var button: Button { Button(origin: request.origin, role: request.role) }
    }

    /// Returns the obstacle to a transmission of this button, or with a press to its beginning. The first
    /// reason is the one that is given. A recording, which the channel does not hear, has those of a machine
    /// without one.
    func obstacle(
        toTransmitting role: ButtonRole,
        isRecording: Bool,
        asking press: Press? = nil
    ) -> Obstacle? {
        let channel = isRecording ? nil : channel
        if isRecording {
            if let obstacle = surroundings.recordingObstacle { return obstacle }
        } else if channel == nil, let obstacle = surroundings.virtualMicrophoneObstacle {
            return obstacle
        }
        if let obstacle = surroundings.obstacle ?? surroundings.lockObstacle { return obstacle }
        if let press, !mayBegin(press.request, from: press.client) {
            return Obstacle(.notInForeground(channel?.owner), ends: nil)
        }
        // Before all reasons that concern a transmission: this press asks for none.
        if press?.request.source == .handsfreeButton, channel?.areAccessoryEventsEnabled == false {
            return Obstacle(.accessoriesOff, ends: nil)
        }
        if let obstacle = surroundings.callObstacle(to: role) { return obstacle }
        if press != nil, let lease, lease.released == nil,
            !role.preempts(lease.transmission.rank)
        {
            return Obstacle(.inProgress(lease.transmission), ends: nil)
        }
        if let obstacle = channel?.obstacle(toTransmitting: role) { return obstacle }
        if press != nil, let status = channel?.running?.serviceStatus, status != .ready {
            return Obstacle(.notReady(status, channel?.owner), ends: nil)
        }
        if let obstacle = audioObstacle(of: channel) { return obstacle }
        if let press, timedOutButtons.contains(press.button) {
            return Obstacle(.timedOut(press.button.origin), ends: nil)
        }
        // A press starts an application that can be started.
        return switch channel?.presence {
        case .absent(let absent) where press == nil || absent.owner.activation == nil:
            Obstacle(.absent(absent.owner), ends: .applicationGone)
        case .absent, .unowned, .starting, .running, nil: nil
        }
    }

    /// Returns the obstacle to hearing a participant, or if one is asked for to its beginning. More prevents
    /// that: a transmission that talks over it, and a call, which silences one for good.
    func receptionObstacle(asking isAsked: Bool = false) -> Obstacle? {
        if let obstacle = surroundings.obstacle { return obstacle }
        if isAsked, let lease, isTalkedOver { return Obstacle(.talkedOver(lease.transmission), ends: nil) }
        if isAsked, let obstacle = surroundings.callObstacle(to: .talk) { return obstacle }
        return audioObstacle(of: channel)
    }

    /// The audio server, and the application's audio socket.
    private func audioObstacle(of channel: JoinedChannel?) -> Obstacle? {
        if let obstacle = surroundings.audioServerObstacle { return obstacle }
        guard let receiver = channel?.receiver, clientsWithoutAudio.contains(receiver) else { return nil }
        let refusal = RefusalCause.noAudioConnection(channel?.owner)
        return Obstacle(refusal, ends: .audioConnectionLost, interrupts: .audioConnectionLost)
    }

    func obstacle(to lease: Lease) -> Obstacle? {
        obstacle(toTransmitting: lease.transmission.rank, isRecording: lease.isRecording)
    }

    /// Ends a transmission that an obstacle prevents. It runs after each transition, and within one where the
    /// end of the transmission is published before what has caused it.
    mutating func yieldTransmission() {
        guard let lease, let end = obstacle(to: lease)?.end else { return }
        endTransmission(end)
    }

    /// Interrupts a reception when an obstacle has arisen, and continues it when none is left.
    mutating func yieldReception(before: Obstacle?) {
        let obstacle = receptionObstacle()
        guard obstacle != before else { return }
        guard let obstacle else { return resumeReception() }
        guard let interruption = obstacle.interruption else { return clearParticipant(obstacle.refusal) }
        interrupt(interruption, refusal: obstacle.refusal)
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
