import PTTMessages

extension TalkSession {
    mutating func setParticipant(
        _ client: ClientID,
        _ request: ApplicationInterface.ParticipantRequest,
        _ turn: inout Turn
    ) -> Answer {
        switch owned(request.channelID, by: client) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success(let channel):
            guard let speaker = request.participant else {
                guard channel.participant != nil else { return .refused(.nobodySpeaks) }
                change { $0.clearParticipant(&turn) }
                return .done
            }
            return hear(speaker, &turn).map { .refused($0) } ?? .done
        }
    }

    /// Somebody talks at the other end. Granted only if they will be heard.
    ///
    /// - Returns: What stands against it.
    mutating func hear(_ speaker: ApplicationInterface.Speaker, _ turn: inout Turn) -> Refusal? {
        if let refusal = Refusal.unusable(speaker.name, longest: speaker.name) { return refusal }
        guard let channel else { return .notJoined }
        if let refusal = unavailability { return refusal }
        if let lease = channel.lease, channel.transmissionMode == .halfDuplex {
            return .talkedOver(lease.transmission)
        }
        guard isAudioServerReady else { return .noAudioServer }
        if channel.isAudioConnectionLost { return .noAudioConnection(channel.owner) }
        let before = channel.participant
        let participant = JoinedChannel.RemoteSpeaker(
            name: speaker.name,
            image: picture(speaker.image, of: speaker.name, &turn)
        )
        change {
            $0.participant = participant
            $0.hearingLoss = nil
        }
        if participant != before { turn.publish(.participantChanged(participant.description)) }
        return nil
    }

    /// What keeps the machine from talking and hearing at all.
    var unavailability: Refusal? {
        switch machine {
        case .awake: nil
        case .suspending: .suspending
        case .shuttingDown: .shuttingDown
        }
    }
}
