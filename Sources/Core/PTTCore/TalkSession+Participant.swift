import PTTMessages

extension TalkSession {
    /// - Returns: Nil if the answer is given when it is known whether the speaker opens.
    mutating func setParticipant(
        _ request: RequestID,
        _ client: ClientID,
        _ content: ApplicationInterface.ParticipantRequest,
        _ turn: inout Turn
    ) -> Answer? {
        switch owned(content.channelID, by: client) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success(let channel):
            guard let speaker = content.participant else {
                guard channel.participant != nil else { return .refused(.nobodySpeaks) }
                change { $0.clearParticipant(.participantCleared, &turn) }
                return .done
            }
            if let refusal = hear(speaker, for: request, &turn) { return .refused(refusal) }
            return self.channel?.hearing?.awaitedBy.contains(request) == true ? nil : .done
        }
    }

    /// Somebody talks at the other end. Granted only if they will be heard.
    ///
    /// - Parameters:
    ///   - speaker: Who talks.
    ///   - request: Waits until the speaker is open, if it is not yet.
    ///   - turn: Takes what follows.
    /// - Returns: What stands against it.
    mutating func hear(_ speaker: ApplicationInterface.Speaker, for request: RequestID?, _ turn: inout Turn)
        -> Refusal?
    {
        if let refusal = Refusal.unusable(speaker.name, longest: speaker.name) { return refusal }
        guard let channel, let running = channel.running else { return .notJoined }
        if let refusal = unavailability { return refusal }
        if let lease = channel.lease, channel.transmissionMode == .halfDuplex {
            return .talkedOver(lease.transmission)
        }
        guard isAudioServerReady else { return .noAudioServer }
        if isAudioConnectionLost { return .noAudioConnection(channel.owner) }
        if request != nil, running.hearing?.awaitedBy.count ?? 0 >= Hearing.requestLimit {
            return .tooManyWaiting
        }
        let participant = RemoteSpeaker(
            name: speaker.name,
            image: picture(speaker.image, of: speaker.name, &turn)
        )
        let waiting = request.map { [$0] } ?? []
        let hearing: Hearing =
            switch running.hearing {
            case .playing: .playing(participant)
            case .opening(_, let requests): .opening(participant, awaitedBy: requests + waiting)
            case nil, .interrupted: .opening(participant, awaitedBy: waiting)
            }
        change { $0.run { $0.hearing = hearing } }
        if participant != channel.participant {
            turn.publish(.participantChanged(participant.description))
        }
        return nil
    }

    mutating func playbackStarted(_ playbackID: PlaybackID, _ turn: inout Turn) {
        guard let channel, channel.audio.speaker?.playbackID == playbackID else { return }
        change { channel in
            channel.audio.playbackStarted(playbackID, &turn)
            guard case .opening(let speaker, let requests) = channel.hearing else { return }
            for request in requests { turn.answer(request, .done) }
            channel.run { $0.hearing = .playing(speaker) }
        }
    }

    mutating func playbackFailed(
        _ playbackID: PlaybackID,
        _ interruption: Interruption,
        _ reason: String,
        _ turn: inout Turn
    ) {
        guard channel?.audio.speaker?.playbackID == playbackID else { return }
        interrupt(interruption, .speakerUnavailable(reason), &turn)
    }

    /// Takes the participant's sound away. One who was never heard is not interrupted, but refused.
    mutating func interrupt(_ interruption: Interruption, _ refusal: Refusal, _ turn: inout Turn) {
        change { channel in
            switch channel.hearing {
            case .opening: channel.clearParticipant(refusal, &turn)
            case .playing(let speaker), .interrupted(let speaker, _):
                channel.run { $0.hearing = .interrupted(speaker, interruption) }
            case nil: break
            }
        }
    }

    /// Something that interrupts has ended: whoever is interrupted is heard again, if nothing else stands against it.
    mutating func resumeHearing() {
        guard machine == .awake, isAudioServerReady, !isAudioConnectionLost else { return }
        guard case .interrupted(let speaker, _) = channel?.hearing else { return }
        change { $0.run { $0.hearing = .playing(speaker) } }
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
