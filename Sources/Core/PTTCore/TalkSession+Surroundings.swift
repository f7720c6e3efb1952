import PTTMessages

extension TalkSession {
    /// Brings the audio session in line with who talks and who is heard.
    mutating func followAudio(_ turn: inout Turn) {
        guard let channel else { return }
        let interruption = channel.participant == nil ? nil : interruption(of: channel)
        let isHeard = channel.participant != nil && interruption == nil && machine == .awake
        if isHeard, channel.audio.speaker == nil { playbackCount += 1 }
        let playbackID = channel.audio.speaker?.playbackID ?? PlaybackID(rawValue: playbackCount)
        change { channel in
            let capture = channel.start == nil ? channel.lease.map(channel.capture) : nil
            let playback = isHeard ? channel.playback(playbackID) : nil
            channel.audio.follow(capture, playback, interruption, &turn)
            channel.audio.deliver(to: channel.receiver, in: channel.format, &turn)
        }
    }

    private func interruption(of channel: JoinedChannel) -> Interruption? {
        switch machine {
        case .suspending: .suspended
        case .shuttingDown: nil
        case .awake where !isAudioServerReady: .audioServerLost
        case .awake: channel.isAudioConnectionLost ? .audioConnectionLost : channel.hearingLoss
        }
    }

    mutating func captureStarted(_ captureID: CaptureID, _ turn: inout Turn) {
        change { $0.audio.captureStarted(captureID, &turn) }
    }

    mutating func captureFailed(_ captureID: CaptureID, _ cause: EndCause, _ turn: inout Turn) {
        guard channel?.audio.microphone?.capture.captureID == captureID else { return }
        endTransmission(cause, &turn)
    }

    mutating func playbackStarted(_ playbackID: PlaybackID, _ turn: inout Turn) {
        change { $0.audio.playbackStarted(playbackID, &turn) }
    }

    mutating func playbackFailed(_ playbackID: PlaybackID, _ interruption: Interruption) {
        guard channel?.audio.speaker?.playbackID == playbackID else { return }
        change { $0.hearingLoss = interruption }
    }

    mutating func audioConnectionReady(_ client: ClientID) {
        guard channel?.receiver == client else { return }
        change { $0.isAudioConnectionLost = false }
    }

    mutating func audioConnectionLost(_ client: ClientID, _ turn: inout Turn) {
        guard channel?.receiver == client else { return }
        endTransmission(.audioConnectionLost, &turn)
        change { $0.isAudioConnectionLost = true }
    }

    mutating func audioServerReady(_ turn: inout Turn) {
        guard !isAudioServerReady else { return }
        isAudioServerReady = true
        change { $0.hearingLoss = nil }
        turn.publish(.audioServerReady)
    }

    mutating func audioServerLost(_ turn: inout Turn) {
        guard isAudioServerReady else { return }
        isAudioServerReady = false
        endTransmission(.audioServerLost, &turn)
        followAudio(&turn)
        turn.publish(.audioServerLost)
    }

    mutating func systemSuspending(_ turn: inout Turn) {
        endTransmission(.suspended, &turn)
        if machine == .awake { machine = .suspending }
    }

    mutating func systemResumed() {
        if machine == .suspending { machine = .awake }
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
        machine = .shuttingDown
    }

    mutating func timerFired(_ turn: inout Turn) {
        // It fires once; what is due next must be set anew even if it is the same time.
        timer = nil
        if let start = channel?.start, turn.now >= start.deadline { giveUpStart(&turn) }
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
        receiver.map { Playback(playbackID: playbackID, format: format, writer: $0) }
    }
}
