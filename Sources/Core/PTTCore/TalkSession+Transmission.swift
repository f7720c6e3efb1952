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
        makeRoom(for: role, effects: &effects)
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

    /// Ends what a transmission takes the place of: one that was released, and if it is an emergency, any other; and the
    /// audio session unless a participant is played on during it.
    private mutating func makeRoom(for role: ButtonRole, effects: inout EffectCollector) {
        guard role == .emergency || openChannel.lease != nil else { return }
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

    /// Why a transmission may not begin.
    private func refusal(
        of request: ChannelInterface.BeginRequest,
        from client: ClientID,
        at now: MonotonicTime
    ) -> Refusal? {
        if case .failure(let refusal) = openChannel(request.channelID, for: client) { return refusal }
        let press = Press(request: request, client: client, time: now)
        return obstacle(toTransmitting: request.role, asking: press)?.refusal
    }

    /// Whether the client may begin: an application in the background may not open the microphone by itself, except
    /// within the grace period after a press that it handles. Without a time the grace period does not count.
    func mayBegin(
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
            if lags(lease, cause) {
                let due = min(effects.now + releaseLag, lease.limit)
                updateChannel { $0.lease?.released = Lease.Released(source: source, due: due) }
            } else {
                updateChannel { $0.endTransmission(cause, by: source, effects: &effects) }
            }
            return .done
        }
    }

    /// Whether the end waits for ``releaseLag``: only that of a person, and only where something is delivered. Released again
    /// it ends at once.
    private func lags(_ lease: Lease, _ cause: EndCause) -> Bool {
        cause.isRelease && releaseLag > .zero && lease.released == nil
            && lease.transmission.source != .developerRequest
            && openChannel.audio.microphone?.isDelivered == true
    }

    /// Whether the client transmits for this button of the origin; nil is any of its buttons.
    private func transmits(_ origin: Origin, _ role: ButtonRole?, by client: ClientID) -> Bool {
        guard let lease = openChannel.lease else { return false }
        let transmission = lease.transmission
        return transmission.origin == origin && transmission.role == role ?? transmission.role
            && lease.holder == client
    }

    /// How long before the limit to warn: 10 s, or half of a limit of 20 s and less, in whole seconds.
    private var warningLead: Duration? {
        let seconds = min(10, timeLimit.components.seconds / 2)
        return seconds > 0 ? .seconds(seconds) : nil
    }

    /// Ends a transmission that has reached its limit, and warns of a limit that is near.
    mutating func checkLease(effects: inout EffectCollector) {
        guard let lease = openChannel.lease else { return }
        if let released = lease.released {
            if effects.now >= released.due { endTransmission(.released, effects: &effects) }
        } else if effects.now >= lease.limit {
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
}

extension EndCause {
    /// What ended a transmission for this cause.
    fileprivate func source(of transmission: Transmission, isByApplication: Bool) -> TransmitSource {
        switch self {
        case .released: transmission.source
        case .stopped: isByApplication ? .developerRequest : .userRequest
        case .unknown, .timeLimit, .connectionLost, .applicationGone, .audioConnectionLost, .channelLeft,
            .linkLost, .deviceRemoved, .audioServerLost, .microphoneLost, .noMicrophone, .microphoneMuted,
            .suspended, .sessionLocked, .sessionInactive, .modeChanged, .applicationUnavailable,
            .shuttingDown,
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
