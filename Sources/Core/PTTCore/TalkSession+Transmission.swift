import PTTMessages

extension TalkSession {
    mutating func begin(
        _ request: ChannelInterface.BeginRequest,
        from client: ClientID,
        effects: inout EffectCollector
    ) -> Answer {
        let origin = request.origin
        // Not published: the event would carry the text to every subscriber.
        if let refusal = Refusal.unusable(longest: origin.identifier, origin.name) {
            return .refused(refusal)
        }
        let role = request.role
        // Rules that this version does not know might apply to the source or the button.
        guard request.source != .unknown, role != .unknown else { return .refused(.unknownValue) }
        guard role.transmits else { return .refused(.doesNotTransmit(role)) }
        if let refusal = refusal(of: request, from: client, at: effects.now) {
            if refusal == .accessoriesOff {
                forwardPress(of: origin, role, heldBy: client, effects: &effects)
            }
            playRefusal(of: request.source, refusal, effects: &effects)
            effects.publish(.transmissionRefused(origin, refusal))
            return .refused(refusal)
        }
        if !mayBegin(request, from: client, graceAt: nil) {
            updateChannel { $0.updateRunning { $0.graceEnd = nil } }
        }
        startIfAbsent(effects: &effects)
        if role == .emergency { makeRoomForEmergency(effects: &effects) }
        transmissionCount += 1
        let transmission = Transmission(
            transmissionID: TransmissionID(rawValue: transmissionCount),
            source: request.source,
            origin: origin,
            began: effects.now.microseconds,
            role: role
        )
        let lease = Lease(
            transmission: transmission,
            holder: client,
            warning: warningLead.map { effects.now + (timeLimit - $0) },
            limit: effects.now + timeLimit
        )
        updateChannel {
            $0.lease = lease
            $0.announce(.transmissionBegan(transmission), effects: &effects)
            if role == .emergency { $0.refuseUnheard(effects: &effects) }
        }
        return .began(transmission.transmissionID)
    }

    /// Ends what an emergency takes the place of: a transmission, and the audio session unless a participant is played
    /// on during it.
    private mutating func makeRoomForEmergency(effects: inout EffectCollector) {
        updateChannel { channel in
            channel.endTransmission(.preempted, by: .unknown, effects: &effects)
            channel.audio.update(
                capture: nil,
                playback: channel.transmissionMode == .fullDuplex ? channel.audio.speaker : nil,
                interruption: channel.reception?.interruption,
                effects: &effects
            )
        }
    }

    /// Why a transmission may not begin. The first reason is the one that is given.
    private func refusal(
        of request: ChannelInterface.BeginRequest,
        from client: ClientID,
        at now: MonotonicTime
    ) -> Refusal? {
        let channel: JoinedChannel
        switch openChannel(request.channelID, for: client) {
        case .failure(let refusal): return refusal
        case .success(let found): channel = found
        }
        if let refusal = virtualMicrophoneRefusal { return refusal }
        if let refusal = powerRefusal ?? sessionRefusal { return refusal }
        if !mayBegin(request, from: client, graceAt: now) {
            return .notInForeground(channel.owner)
        }
        // Before all reasons that concern a transmission: this press asks for none.
        if request.source == .handsfreeButton, !channel.areAccessoryEventsEnabled { return .accessoriesOff }
        if let refusal = callRefusal(of: request.role) { return refusal }
        if let lease = channel.lease, !request.role.preempts(lease.transmission.role) {
            return .inProgress(lease.transmission)
        }
        if let refusal = channel.transmissionRefusal(of: request.role) { return refusal }
        if let refusal = audioRefusal { return refusal }
        if timeOutLock.isLocked(request.origin, request.role) { return .timedOut(request.origin) }
        switch channel.presence {
        case .absent(let absent) where absent.owner.activation == nil: return .absent(absent.owner)
        case .absent, .unowned, .starting, .running: return nil
        }
    }

    /// Whether the client may begin: an application in the background may not open the microphone by itself, except
    /// within the grace period after a press that it handles. Without a time the grace period does not count.
    private func mayBegin(
        _ request: ChannelInterface.BeginRequest,
        from client: ClientID,
        graceAt now: MonotonicTime?
    ) -> Bool {
        if request.source != .developerRequest || isInForeground(client) { return true }
        guard let now else { return false }
        return channel?.running?.graceEnd.map { now < $0 } ?? false
    }

    mutating func end(
        _ request: ChannelInterface.EndRequest,
        from client: ClientID,
        effects: inout EffectCollector
    ) -> Answer {
        let cause = request.cause ?? (request.origin == nil ? .stopped : .released)
        // A lost link is one of all buttons of an origin, whatever the request names.
        let role = cause.isRelease && request.role != .unknown ? request.role : nil
        if let origin = request.origin, cause.isRelease { timeOutLock.unlock(origin, role) }
        if let origin = request.origin, release(origin, role, heldBy: client, effects: &effects),
            !transmits(origin, role, by: client)
        {
            return .done
        }
        switch openChannel(request.channelID, for: client) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success(let channel):
            guard let lease = channel.lease else { return .refused(.noTransmission) }
            if let origin = request.origin {
                guard transmits(origin, role, by: client) else {
                    return .refused(.notHeld(by: origin, role, lease.transmission))
                }
            }
            let source = cause.source(
                of: lease.transmission,
                isByApplication: client == channel.receiver
            )
            updateChannel { $0.endTransmission(cause, by: source, effects: &effects) }
            return .done
        }
    }

    /// Whether the client transmits for this button of the origin; nil is any of its buttons.
    private func transmits(_ origin: Origin, _ role: ButtonRole?, by client: ClientID) -> Bool {
        guard let lease = openChannel.lease else { return false }
        let transmission = lease.transmission
        return transmission.origin == origin && transmission.role == role ?? transmission.role
            && lease.holder == client
    }

    /// Why the state of the login session allows no transmission.
    var sessionRefusal: Refusal? {
        if !isSessionActive { return .sessionInactive }
        return switch whileLocked {
        case .allow: nil
        case .refuse: isLocked ? .sessionLocked : nil
        }
    }

    /// How long before the limit to warn: 10 s, or half of a limit of 20 s and less, in whole seconds.
    private var warningLead: Duration? {
        let seconds = min(10, timeLimit.components.seconds / 2)
        return seconds > 0 ? .seconds(seconds) : nil
    }

    /// Ends a transmission that has reached its limit, and warns of a limit that is near.
    mutating func checkLease(effects: inout EffectCollector) {
        guard let lease = openChannel.lease else { return }
        if effects.now >= lease.limit {
            let transmission = lease.transmission
            if transmission.isHeld { timeOutLock.lock(transmission.origin, transmission.role) }
            endTransmission(.timeLimit, effects: &effects)
        } else if let warning = lease.warning, effects.now >= warning {
            updateChannel { $0.lease?.warning = nil }
            if openChannel.announcesLimit { effects.play(.timeLimitNear) }
            effects.publish(.timeLimitNear(secondsLeft: (lease.limit - effects.now).secondsRoundedUp))
        }
    }
}

extension JoinedChannel {
    /// Whether a tone warns of the time limit. In full duplex the other end would hear it.
    fileprivate var announcesLimit: Bool {
        guard let lease, transmissionMode != .fullDuplex else { return false }
        return audio.isLive(lease.captureID)
    }

    /// Why the application's settings allow no transmission.
    fileprivate func transmissionRefusal(of role: ButtonRole) -> Refusal? {
        switch transmissionMode {
        case .listenOnly, .unknown: return .listenOnly
        case .halfDuplex: if let participant, !role.talksOver { return .remoteSpeaks(participant.name) }
        case .fullDuplex: break
        }
        guard let running else { return nil }
        return switch running.serviceStatus {
        case .ready: nil
        case .connecting, .unavailable, .unknown: .notReady(running.serviceStatus, owner)
        }
    }
}

extension EndCause {
    /// What ended a transmission for this cause.
    fileprivate func source(of transmission: Transmission, isByApplication: Bool) -> TransmitSource {
        switch self {
        case .released: transmission.source
        case .stopped: isByApplication ? .developerRequest : .userRequest
        case .unknown, .timeLimit, .connectionLost, .applicationGone, .audioConnectionLost, .channelLeft,
            .linkLost, .deviceRemoved, .audioServerLost, .microphoneLost, .noMicrophone, .suspended,
            .sessionLocked, .sessionInactive, .modeChanged, .applicationUnavailable, .shuttingDown,
            .preempted, .callActive, .recorderGone:
            .unknown
        }
    }
}

extension Duration {
    fileprivate var secondsRoundedUp: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) + (attoseconds > 0 ? 1 : 0)
    }
}
