import PTTMessages

extension TalkSession {
    /// - Returns: Nil if the request is answered once it is known whether the speaker opens.
    mutating func setParticipant(
        _ request: ApplicationInterface.ParticipantRequest,
        _ requestID: RequestID,
        from client: ClientID
    ) throws(RefusalCause) -> Answer? {
        let channel = try ownChannel(request.channelID, of: client)
        guard let speaker = request.participant else {
            guard channel.participant != nil else { throw .noRemoteParticipant }
            clearParticipant(.participantCleared)
            return .done
        }
        try receive(speaker, for: requestID, isPush: false)
        return answerWhenOpen(requestID)
    }

    /// The answer to a request that ``receive(_:for:isPush:)`` has granted.
    ///
    /// - Returns: Nil if it is answered once it is known whether the speaker opens.
    func answerWhenOpen(_ request: RequestID) -> Answer? {
        channel?.reception?.awaitedBy.contains(request) == true ? nil : .done
    }

    /// Begins or continues a reception: a remote participant is talking.
    ///
    /// - Parameters:
    ///   - speaker: The participant.
    ///   - request: Waits until the speaker is open, if it is not open yet.
    ///   - isPush: True if it answers a push, which is accepted during a call too, and not heard.
    /// - Throws: If the participant would not be heard.
    mutating func receive(
        _ speaker: ApplicationInterface.Speaker,
        for request: RequestID,
        isPush: Bool
    ) throws(RefusalCause) {
        try Self.check(speaker.name, longest: speaker.name)
        guard let channel, let running = channel.running else { throw .notJoined }
        if let obstacle = receptionObstacle(asking: true), !isPush || obstacle.interruption != .call {
            throw obstacle.refusal
        }
        if running.reception?.awaitedBy.count ?? 0 >= Reception.requestLimit { throw .tooManyWaiting }
        let participant = RemoteParticipant(name: speaker.name, image: image(speaker.image, of: speaker.name))
        let reception: Reception =
            switch running.reception {
            case _ where surroundings.call != nil: .unheard(participant)
            case .playing: .playing(participant)
            case .opening(_, let requests): .opening(participant, awaitedBy: requests + [request])
            case nil, .interrupted, .unheard: .opening(participant, awaitedBy: [request])
            }
        self.channel?.reception = reception
        if participant != channel.participant {
            effects.publish(.participantChanged(participant: participant.description))
        }
    }

    mutating func playbackStarted(_ playbackID: PlaybackID) {
        guard audio.speaker?.playbackID == playbackID else { return }
        audio.streamStarted(effects: &effects)
        guard case .opening(let participant, let requests) = channel?.reception else { return }
        for request in requests { effects.reply(to: request, .done) }
        channel?.reception = .playing(participant)
    }

    mutating func playbackFailed(_ playbackID: PlaybackID, _ interruption: Interruption, reason: String) {
        guard audio.speaker?.playbackID == playbackID else { return }
        interrupt(interruption, refusal: .speakerUnavailable(reason: reason))
    }

    /// Interrupts the reception. One whose speaker never opened is not interrupted, but refused.
    mutating func interrupt(_ interruption: Interruption, refusal: RefusalCause) {
        switch channel?.reception {
        case .opening: clearParticipant(refusal)
        case .playing(let participant):
            channel?.reception = .interrupted(participant, interruption, since: effects.now)
        case .interrupted(let participant, _, let since):
            channel?.reception = .interrupted(participant, interruption, since: since)
        case .unheard, nil: break
        }
    }

    /// A cause of interruptions has ended: an interrupted reception continues, unless another cause remains
    /// or it was interrupted for too long.
    mutating func resumeReception() {
        guard receptionObstacle() == nil else { return }
        guard case .interrupted(let participant, _, let since) = channel?.reception else { return }
        let isTooLate = effects.now - since > Reception.resumptionLimit
        channel?.reception = isTooLate ? .unheard(participant) : .playing(participant)
        if isTooLate { audio.endInterruption(effects: &effects) }
    }

    /// The machine has slept, which the time of events does not count.
    mutating func slept(_ duration: Duration) {
        guard case .interrupted(let participant, let interruption, let since) = channel?.reception else {
            return
        }
        let earlier = since + (.zero - duration)
        channel?.reception = .interrupted(participant, interruption, since: earlier)
    }

    /// Ends the reception, if there is one. Requests that wait for the speaker are refused.
    mutating func clearParticipant(_ refusal: RefusalCause) {
        guard let reception = channel?.reception else { return }
        for request in reception.awaitedBy { effects.reply(to: request, .refused(refusal)) }
        channel?.reception = nil
        audio.clearInterruption()
        effects.publish(.participantChanged(participant: nil))
    }

    /// True if the participant is played now. During an emergency in half duplex it is not, as a half-duplex
    /// radio does not receive while it transmits: the microphone would send what the speaker plays. It is
    /// played again after the emergency, unless the application clears it.
    var isPlaying: Bool {
        switch channel?.reception {
        case .opening, .playing: !isTalkedOver
        case .interrupted, .unheard, nil: false
        }
    }

    var isTalkedOver: Bool { channelLease != nil && transmissionMode == .halfDuplex }

    /// Refuses a participant whose speaker has not opened and, because of an emergency, will not.
    mutating func refuseUnheard() {
        guard let lease, isTalkedOver, case .opening = channel?.reception else { return }
        clearParticipant(.talkedOver(lease.transmission))
    }
}
