import PTTMessages

extension TalkSession {
    mutating func begin(
        _ request: ChannelInterface.BeginRequest,
        from client: ClientID
    ) throws(RefusalCause) -> Answer {
        let origin = request.origin
        // Not published: the event would carry the text to every subscriber.
        try Self.check(longest: origin.identifier, origin.name)
        let role = request.role
        // Rules that this version does not know might apply to the source or the button.
        guard request.source != .unknown, role != .unknown else { throw .unknownValue }
        guard role.transmits || request.isRecording else { throw .doesNotTransmit(role) }
        do throws(RefusalCause) {
            try checkBeginning(request, from: client)
        } catch {
            if error == .accessoriesOff { forwardPress(of: origin, role, heldBy: client) }
            playRefusal(of: request.source, error)
            effects.publish(.transmissionRefused(origin: origin, refusal: error.forClient))
            throw error
        }
        if request.source == .developerRequest, !isInForeground(client) { channel?.running?.graceEnd = nil }
        makeRoom(for: request)
        if !request.isRecording { startIfAbsent() }
        transmissionCount += 1
        let transmission = Transmission(
            transmissionID: TransmissionID(rawValue: transmissionCount),
            source: request.source,
            origin: origin,
            began: effects.now.microseconds,
            role: role,
            recording: request.recording
        )
        lease = Lease(
            transmission: transmission,
            holder: client,
            warning: warningLead.map { effects.now + (timeLimit - $0) },
            limit: effects.now + timeLimit
        )
        announce(.transmissionBegan(transmission: transmission))
        if request.rank == .emergency { refuseUnheard() }
        return .began(transmission.transmissionID, isRecording: request.isRecording)
    }

    /// Ends what a transmission takes the place of: one that was released, and if it is an emergency, any
    /// other; and the audio session unless a participant is played on during it.
    private mutating func makeRoom(for request: ChannelInterface.BeginRequest) {
        guard request.rank == .emergency || lease != nil else { return }
        endTransmission(.preempted)
        let isPlayedOn = transmissionMode == .fullDuplex || request.isRecording
        updateAudio(playback: isPlayedOn ? audio.speaker : nil)
    }

    /// Throws if a transmission may not begin.
    private func checkBeginning(
        _ request: ChannelInterface.BeginRequest,
        from client: ClientID
    ) throws(RefusalCause) {
        if request.isRecording {
            // Its audio socket has the frames of its channel.
            if attachments[client] != nil || channel?.receiver == client { throw .attachedAlready }
        } else {
            try checkAccess(to: request.channelID, of: client)
        }
        let (role, press) = (request.rank, Press(request: request, client: client))
        if let obstacle = obstacle(toTransmitting: role, isRecording: request.isRecording, asking: press) {
            throw obstacle.refusal
        }
    }

    /// Returns true if the client may begin: an application in the background may not open the microphone by
    /// itself, except within the grace period after a press that it handles.
    func mayBegin(_ request: ChannelInterface.BeginRequest, from client: ClientID) -> Bool {
        if request.source != .developerRequest || isInForeground(client) { return true }
        return channel?.running?.graceEnd.map { effects.now < $0 } ?? false
    }

    mutating func end(_ request: ChannelInterface.EndRequest, from client: ClientID) throws(RefusalCause) {
        let cause = request.cause ?? (request.origin == nil ? .stopped : .released)
        // A lost link is one of all buttons of an origin, whatever the request names.
        let role = cause == .released && request.role != .unknown ? request.role : nil
        // A lost link says nothing about the button behind it, and stopping does not touch the button.
        if let origin = request.origin, cause == .released {
            timedOutButtons.remove { $0.origin == origin && $0.role == role ?? $0.role }
        }
        if let origin = request.origin, release(origin, role, heldBy: client),
            !transmits(origin, role, by: client)
        {
            return
        }
        try checkAccess(to: request.channelID, of: client)
        // A recording is not the application's to stop: it is not notified of it.
        guard let lease, !lease.isRecording || channel?.receiver != client else { throw .noTransmission }
        if let origin = request.origin, !transmits(origin, role, by: client) {
            throw .notHeld(by: origin, role, lease.transmission)
        }
        let source = cause.source(of: lease.transmission, isByApplication: client == channel?.receiver)
        if lags(lease, cause) {
            let due = min(effects.now + releaseLag, lease.limit)
            self.lease?.released = Lease.Released(source: source, due: due)
        } else {
            endTransmission(cause, by: source)
        }
    }

    /// A tap keeps the transmission of its button on until the next press.
    mutating func latch(_ report: ChannelInterface.LatchReport, from client: ClientID) throws(RefusalCause) {
        try checkAccess(to: report.channelID, of: client)
        guard var lease, lease.released == nil else { throw .noTransmission }
        let isHeld =
            lease.isRecording
            ? report.isOf(lease.transmission) : transmits(report.origin, report.role, by: client)
        guard isHeld else { throw .notHeld(by: report.origin, report.role, lease.transmission) }
        guard lease.transmission.latched == nil else { return }
        lease.transmission.latched = effects.now.microseconds
        self.lease = lease
        effects.publish(.transmissionLatched(transmission: lease.transmission))
    }

    /// Throws if a client may neither begin nor end a transmission in the channel that it names. An
    /// application that is attached talks into its own channel only; any other client that names none also
    /// into the Push-to-Talk Microphone.
    private func checkAccess(to channelID: ChannelID?, of client: ClientID) throws(RefusalCause) {
        if channel == nil, channelID == nil, attachments[client] == nil { return }
        _ = try channel(channelID, for: client)
    }

    /// Ends the transmission, if there is one; the audio session is updated after the transition. What was
    /// released ended by that, whatever comes before the release has lagged.
    mutating func endTransmission(_ cause: EndCause, by source: TransmitSource = .unknown) {
        guard let lease else { return }
        self.lease = nil
        if let capture = lease.capture { effects.close(capture) }
        if let tone = cause.tone(wasLive: lease.isLive) { effects.play(tone) }
        let (cause, source) = lease.released.map { (.released, $0.source) } ?? (cause, source)
        announce(.transmissionEnded(transmission: lease.transmission, cause: cause, endedBy: source))
    }

    /// Ends the transmission of the channel, or of the Push-to-Talk Microphone. A recording goes on.
    mutating func endChannelTransmission(_ cause: EndCause) {
        if channelLease != nil { endTransmission(cause) }
    }

    /// The transmission that the channel hears, or the Push-to-Talk Microphone; nil also during a recording.
    var channelLease: Lease? { lease?.isRecording == true ? nil : lease }

    /// Publishes an event of the transmission, and keeps it for an application that is being started.
    private mutating func announce(_ event: CoreEvent) {
        effects.publish(event)
        if !event.isOfRecording { channel?.starting?.miss(event) }
    }

    /// Returns true if the end waits for ``releaseLag``: only that of a person, and only where something is
    /// delivered. Released again it ends at once.
    private func lags(_ lease: Lease, _ cause: EndCause) -> Bool {
        cause == .released && releaseLag > .zero && lease.released == nil
            && lease.transmission.source != .developerRequest
            && lease.capture?.gate == .delivering
    }

    /// Returns true if the client transmits for this button of the origin; nil is any of its buttons.
    private func transmits(_ origin: Origin, _ role: ButtonRole?, by client: ClientID) -> Bool {
        guard let lease else { return false }
        let transmission = lease.transmission
        return transmission.origin == origin && transmission.role == role ?? transmission.role
            && lease.holder == client
    }

    /// The time between the warning and the limit: 10 s, or half of a limit of 20 s and less, in whole
    /// seconds.
    private var warningLead: Duration? {
        let seconds = min(10, timeLimit.components.seconds / 2)
        return seconds > 0 ? .seconds(seconds) : nil
    }

    /// Ends a transmission that has reached its limit, and warns of a limit that is near.
    mutating func checkLease() {
        guard let lease else { return }
        if let released = lease.released {
            if effects.now >= released.due { endTransmission(.released) }
        } else if effects.now >= lease.limit {
            let transmission = lease.transmission
            if transmission.isHeld { timedOutButtons.insert(transmission.button) }
            endTransmission(.timeLimit)
        } else if let warning = lease.warning, effects.now >= warning {
            self.lease?.warning = nil
            // In full duplex the other end would hear it.
            if lease.isRecording || transmissionMode != .fullDuplex, lease.isLive {
                effects.play(.timeLimitNear)
            }
            effects.publish(.timeLimitNear(secondsLeft: (lease.limit - effects.now).secondsRoundedUp))
        }
    }
}

extension EndCause {
    /// Returns the source of the end of a transmission for this cause.
    fileprivate func source(of transmission: Transmission, isByApplication: Bool) -> TransmitSource {
        switch self {
        case .released: transmission.source
        case .stopped, .floorTaken: isByApplication ? .developerRequest : .userRequest
        case .unknown, .timeLimit, .connectionLost, .applicationGone, .audioConnectionLost, .channelLeft,
            .linkLost, .deviceRemoved, .audioServerLost, .microphoneLost, .noMicrophone, .microphoneMuted,
            .suspended, .sessionLocked, .sessionInactive, .modeChanged, .applicationUnavailable,
            .shuttingDown, .preempted, .callActive, .recorderGone:
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

extension ChannelInterface.LatchReport {
    /// Returns true if it is about the button of this recording. Another connection than the recorder's
    /// watches that button, and the recorder is told only the identifier of its origin.
    fileprivate func isOf(_ transmission: Transmission) -> Bool {
        let origin = Origin(kind: transmission.origin.kind, identifier: origin.identifier, name: origin.name)
        return origin == transmission.origin && role == transmission.role
    }
}
