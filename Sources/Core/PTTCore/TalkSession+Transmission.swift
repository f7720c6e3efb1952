import PTTMessages

extension TalkSession {
    mutating func begin(
        _ client: ClientID,
        _ request: CoreInterface.BeginRequest,
        at now: MonotonicTime,
        _ turn: inout Turn
    ) -> Answer {
        let origin = request.origin
        // Not published: the event would carry the text to every subscriber.
        if let refusal = Refusal.tooLong(origin.identifier, origin.name) { return .refused(refusal) }
        switch gate(request) {
        case .failure(let refusal):
            turn.publish(.transmissionRefused(origin, refusal))
            return .refused(refusal)
        case .success(var channel):
            transmissionCount += 1
            let transmission = Transmission(
                transmissionID: TransmissionID(rawValue: transmissionCount),
                source: request.source,
                origin: origin,
                began: now.microseconds
            )
            let limit = now + timeLimit
            let lease = Lease(
                transmission: transmission,
                holder: client,
                warning: warningLead.map { now + (timeLimit - $0) },
                limit: limit
            )
            channel.transmit = .transmitting(lease)
            turn.publish(.transmissionBegan(transmission))
            channel.followAudio(&turn)
            state = .joined(channel)
            return .began(transmission.transmissionID)
        }
    }

    /// Whether a transmission may begin. The first reason that stands against it is the one that is told.
    private func gate(_ request: CoreInterface.BeginRequest) -> Result<JoinedChannel, Refusal> {
        named(request.channelID).flatMap { channel in
            switch machine {
            case .awake: break
            case .suspending: return .failure(.suspending)
            case .shuttingDown: return .failure(.shuttingDown)
            }
            if let lease = channel.lease { return .failure(.inProgress(lease.transmission)) }
            guard isAudioServerReady else { return .failure(.noAudioServer) }
            guard !freshPress.isRequired(of: request.origin) else {
                return .failure(.freshPress(request.origin))
            }
            return .success(channel)
        }
    }

    mutating func end(
        _ client: ClientID,
        _ request: CoreInterface.EndRequest,
        _ turn: inout Turn
    ) -> Answer {
        let cause = request.cause ?? (request.origin == nil ? .stopped : .released)
        if let origin = request.origin, cause.isLetGo { freshPress.letGo(origin) }
        switch state {
        case .notJoined:
            return .refused(.nobodyTransmits)
        case .joined(let channel):
            if let channelID = request.channelID, channelID != channel.channelID {
                return .refused(.otherChannel(channelID, joined: channel))
            }
            guard let lease = channel.lease else { return .refused(.nobodyTransmits) }
            if let origin = request.origin {
                guard lease.transmission.origin == origin, lease.holder == client else {
                    return .refused(.notHeld(by: origin, lease.transmission))
                }
            }
            endTransmission(cause, &turn)
            return .done
        }
    }

    /// Ends the transmission, if there is one, and with it the audio session.
    mutating func endTransmission(_ cause: EndCause, _ turn: inout Turn) {
        guard case .joined(var channel) = state, let lease = channel.lease else { return }
        channel.transmit = .idle
        turn.publish(.transmissionEnded(lease.transmission, cause))
        channel.followAudio(&turn)
        state = .joined(channel)
    }

    /// How long before the limit to warn: 10 s, or half of a limit of 20 s and less, in whole seconds.
    private var warningLead: Duration? {
        let seconds = min(10, timeLimit.components.seconds / 2)
        return seconds > 0 ? .seconds(seconds) : nil
    }

    mutating func timerFired(at now: MonotonicTime, _ turn: inout Turn) {
        // It fires once; what is due next must be set anew even if it is the same time.
        timer = nil
        guard case .joined(var channel) = state, var lease = channel.lease else { return }
        if now >= lease.limit {
            freshPress.require(lease.transmission.origin)
            endTransmission(.timeLimit, &turn)
        } else if let warning = lease.warning, now >= warning {
            lease.warning = nil
            channel.transmit = .transmitting(lease)
            state = .joined(channel)
            turn.publish(.timeLimitNear(secondsLeft: (lease.limit - now).secondsRoundedUp))
        }
    }
}

extension Duration {
    fileprivate var secondsRoundedUp: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) + (attoseconds > 0 ? 1 : 0)
    }
}
