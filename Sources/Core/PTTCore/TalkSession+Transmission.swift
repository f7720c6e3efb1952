import PTTMessages

extension TalkSession {
    mutating func begin(
        _ client: ClientID,
        _ request: ChannelInterface.BeginRequest,
        _ turn: inout Turn
    ) -> Answer {
        let origin = request.origin
        // Not published: the event would carry the text to every subscriber.
        if let refusal = Refusal.unusable(longest: origin.identifier, origin.name) {
            return .refused(refusal)
        }
        guard request.source != .unknown else { return .refused(.unknownValue) }
        if let refusal = gate(request, client, turn.now) {
            if refusal == .accessoriesOff { giveToApplication(origin, client, &turn) }
            turn.publish(.transmissionRefused(origin, refusal))
            return .refused(refusal)
        }
        if !mayBeginByItself(client, request, turn.now, withGrace: false) {
            change { $0.run { $0.graceEnd = nil } }
        }
        startIfAbsent(&turn)
        transmissionCount += 1
        let transmission = Transmission(
            transmissionID: TransmissionID(rawValue: transmissionCount),
            source: request.source,
            origin: origin,
            began: turn.now.microseconds
        )
        let lease = Lease(
            transmission: transmission,
            holder: client,
            warning: warningLead.map { turn.now + (timeLimit - $0) },
            limit: turn.now + timeLimit
        )
        change {
            $0.lease = lease
            $0.announce(.transmissionBegan(transmission), &turn)
        }
        return .began(transmission.transmissionID)
    }

    /// What stands against a transmission. The first reason is the one that is told.
    private func gate(
        _ request: ChannelInterface.BeginRequest,
        _ client: ClientID,
        _ now: MonotonicTime
    ) -> Refusal? {
        let channel: JoinedChannel
        switch named(request.channelID, by: client) {
        case .failure(let refusal): return refusal
        case .success(let found): channel = found
        }
        if let refusal = unavailability ?? nobodySits { return refusal }
        if !mayBeginByItself(client, request, now, withGrace: true) {
            return .notInForeground(channel.owner)
        }
        // Before all that stands against a transmission: this press asks for none.
        if request.source == .handsfreeButton, !channel.areAccessoryEventsEnabled { return .accessoriesOff }
        if let lease = channel.lease { return .inProgress(lease.transmission) }
        if let refusal = channel.standsAgainstTransmission { return refusal }
        guard isAudioServerReady else { return .noAudioServer }
        if isAudioConnectionLost { return .noAudioConnection(channel.owner) }
        if freshPress.isRequired(of: request.origin) { return .freshPress(request.origin) }
        switch channel.presence {
        case .absent(let absence) where absence.owner.activation == nil: return .absent(absence.owner)
        case .absent, .unowned, .starting, .running: return nil
        }
    }

    /// An application that nobody sees may not open the microphone by itself, but for a press that it must handle.
    private func mayBeginByItself(
        _ client: ClientID,
        _ request: ChannelInterface.BeginRequest,
        _ now: MonotonicTime,
        withGrace: Bool
    ) -> Bool {
        if request.source != .developerRequest || isInForeground(client) { return true }
        return withGrace && (channel?.running?.graceEnd.map { now < $0 } ?? false)
    }

    mutating func end(_ client: ClientID, _ request: ChannelInterface.EndRequest, _ turn: inout Turn)
        -> Answer
    {
        let cause = request.cause ?? (request.origin == nil ? .stopped : .released)
        if let origin = request.origin, cause.isLetGo { freshPress.letGo(origin) }
        if let origin = request.origin, release(origin, of: client, &turn), !holds(origin, client) {
            return .done
        }
        if case .notJoined = state, request.channelID == nil, attachments[client] == nil {
            return .refused(.nobodyTransmits)
        }
        switch named(request.channelID, by: client) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success(let channel):
            guard let lease = channel.lease else { return .refused(.nobodyTransmits) }
            if let origin = request.origin {
                guard holds(origin, client) else {
                    return .refused(.notHeld(by: origin, lease.transmission))
                }
            }
            let source = cause.source(
                of: lease.transmission,
                isByApplication: client == channel.receiver
            )
            change { $0.endTransmission(cause, by: source, &turn) }
            return .done
        }
    }

    private func holds(_ origin: Origin, _ client: ClientID) -> Bool {
        guard let lease = channel?.lease else { return false }
        return lease.transmission.origin == origin && lease.holder == client
    }

    /// What keeps everybody at this seat from talking.
    private var nobodySits: Refusal? {
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

    mutating func followLease(_ turn: inout Turn) {
        guard let lease = channel?.lease else { return }
        if turn.now >= lease.limit {
            if lease.transmission.isHeld { freshPress.require(lease.transmission.origin) }
            endTransmission(.timeLimit, &turn)
        } else if let warning = lease.warning, turn.now >= warning {
            change { $0.lease?.warning = nil }
            turn.publish(.timeLimitNear(secondsLeft: (lease.limit - turn.now).secondsRoundedUp))
        }
    }
}

extension JoinedChannel {
    /// What of the application's settings stands against a transmission.
    fileprivate var standsAgainstTransmission: Refusal? {
        switch transmissionMode {
        case .listenOnly, .unknown: return .listenOnly
        case .halfDuplex: if let participant { return .remoteSpeaks(participant.name) }
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
    /// Who ended a transmission for this cause.
    fileprivate func source(of transmission: Transmission, isByApplication: Bool) -> TransmitSource {
        switch self {
        case .released: transmission.source
        case .stopped: isByApplication ? .developerRequest : .userRequest
        case .unknown, .timeLimit, .connectionLost, .applicationGone, .audioConnectionLost, .channelLeft,
            .linkLost, .deviceRemoved,
            .audioServerLost, .microphoneLost, .noMicrophone, .suspended, .sessionLocked, .sessionInactive,
            .modeChanged,
            .applicationUnavailable, .shuttingDown:
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
