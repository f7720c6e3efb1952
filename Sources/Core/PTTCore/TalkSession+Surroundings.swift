import PTTMessages

extension TalkSession {
    /// Brings the audio session in line with who talks and who is heard. The last thing that concerns streams in a turn,
    /// and the only one that opens any.
    mutating func followAudio(_ turn: inout Turn) {
        guard let channel else { return }
        let isHeard = channel.hearing.map { $0.interruption == nil } ?? false
        if isHeard, channel.audio.speaker == nil { playbackCount += 1 }
        let playbackID = channel.audio.speaker?.playbackID ?? PlaybackID(rawValue: playbackCount)
        change { channel in
            let capture = channel.start == nil ? channel.lease.map(channel.capture) : nil
            let playback = isHeard ? channel.playback(playbackID) : nil
            channel.audio.follow(capture, playback, channel.hearing?.interruption, &turn)
            channel.audio.deliver(to: channel.receiver.map { .application($0) }, in: channel.format, &turn)
        }
    }

    /// Closes all streams before the end of the turn, where the end of audio is told before what ended it.
    mutating func endAudio(_ turn: inout Turn) {
        change { $0.audio.end($0.hearing?.interruption, &turn) }
    }

    mutating func captureStarted(_ captureID: CaptureID, _ turn: inout Turn) {
        change { $0.audio.captureStarted(captureID, &turn) }
    }

    mutating func captureFailed(_ captureID: CaptureID, _ cause: EndCause, _ turn: inout Turn) {
        guard channel?.audio.microphone?.capture.captureID == captureID else { return }
        endTransmission(cause, &turn)
    }

    mutating func audioConnectionReady(_ client: ClientID) {
        guard lostAudio.remove(client) != nil, channel?.receiver == client else { return }
        resumeHearing()
    }

    mutating func audioConnectionLost(_ client: ClientID, _ turn: inout Turn) {
        let isReceiver = channel?.receiver == client
        // Also of one that has no channel yet, or that waits for its turn.
        if isReceiver || attachments[client] != nil { lostAudio.insert(client) }
        guard isReceiver else { return }
        endTransmission(.audioConnectionLost, &turn)
        interrupt(.audioConnectionLost, .noAudioConnection(channel?.owner), &turn)
    }

    /// Whether nothing reaches the channel's application, or comes from it.
    var isAudioConnectionLost: Bool { channel?.receiver.map(lostAudio.contains) ?? false }

    mutating func audioServerReady(_ turn: inout Turn) {
        guard !isAudioServerReady else { return }
        isAudioServerReady = true
        resumeHearing()
        turn.publish(.audioServerReady)
    }

    mutating func audioServerLost(_ turn: inout Turn) {
        guard isAudioServerReady else { return }
        isAudioServerReady = false
        endTransmission(.audioServerLost, &turn)
        interrupt(.audioServerLost, .noAudioServer, &turn)
        endAudio(&turn)
        turn.publish(.audioServerLost)
    }

    mutating func systemSuspending(_ turn: inout Turn) {
        endTransmission(.suspended, &turn)
        interrupt(.suspended, .suspending, &turn)
        if machine == .awake { machine = .suspending }
    }

    mutating func systemResumed() {
        guard machine == .suspending else { return }
        machine = .awake
        resumeHearing()
    }

    mutating func sessionLocked(_ turn: inout Turn) {
        isLocked = true
        switch whileLocked {
        case .allow: break
        case .refuse: endTransmission(.sessionLocked, &turn)
        }
    }

    mutating func sessionInactive(_ turn: inout Turn) {
        isSessionActive = false
        endTransmission(.sessionInactive, &turn)
    }

    mutating func stateSaved(_ turn: inout Turn) {
        guard saveFailure != nil else { return }
        saveFailure = nil
        turn.publish(.stateSaved)
    }

    mutating func stateNotSaved(_ reason: String, _ turn: inout Turn) {
        guard saveFailure != reason else { return }
        saveFailure = reason
        turn.publish(.stateNotSaved(reason: reason))
    }

    mutating func shuttingDown(_ turn: inout Turn) {
        endTransmission(.shuttingDown, &turn)
        change { $0.clearParticipant(.shuttingDown, &turn) }
        machine = .shuttingDown
    }

    mutating func timerFired(_ turn: inout Turn) {
        // It fires once; what is due next must be set anew even if it is the same time.
        timer = nil
        followStart(&turn)
        change { $0.followPushes(&turn) }
        followLease(&turn)
    }
}

extension JoinedChannel {
    fileprivate func capture(_ lease: Lease) -> Capture {
        // An application that comes in the middle does not change what is open.
        Capture(captureID: lease.captureID, format: audio.microphone?.capture.format ?? format)
    }

    fileprivate func playback(_ playbackID: PlaybackID) -> Playback? {
        running.map { Playback(playbackID: playbackID, format: $0.format, writer: $0.client) }
    }
}
