import PTTCore
import PTTMessages

extension Model {
    /// 2.1: the session is wanted while somebody transmits or is listened to. A change of that activates or deactivates
    /// it; a change that keeps it wanted is no news. It follows what was told of the transmission and the participant.
    mutating func updateAudio() {
        let isWanted = channel.map { $0.isSending || $0.isHeard } ?? false
        let remote = channel?.remote
        switch (audio, isWanted) {
        case (.inactive, true):
            audio = .activating
            audioNotifications.append(.word("audioActivating"))
        case (.interrupted, true):
            audio = .activating
            audioNotifications += [.word("audioInterruptionEnded"), .word("audioActivating")]
        case (.activating, false), (.active, false):
            if remote != nil { audioNotifications.append(.interrupted(obstacle ?? .speakerLost)) }
            audio = remote == nil ? .inactive : .interrupted
            audioNotifications.append(.word("audioDeactivated"))
        case (.interrupted, false):
            // Nobody is left who could be interrupted.
            if remote == nil { audio = .inactive }
        case (.inactive, false), (.activating, true), (.active, true): break
        }
    }

    /// Proof 68: why nobody can be heard, whatever the speaker does. Ours: the order.
    var obstacle: Interruption? {
        if power != .awake { return .suspended }
        if !hasAudioServer { return .audioServerLost }
        if let client = channel?.running?.client, withoutAudio.contains(client) {
            return .audioConnectionLost
        }
        return nil
    }

    // MARK: The microphone

    /// News of a stream that was closed meanwhile is no news.
    mutating func captureStarted(_ capture: Int) {
        guard channel?.isSending == true, capture == counts.transmissions else { return }
        streamStarted()
    }

    mutating func captureFailed(_ capture: Int, _ cause: EndCause) {
        guard channel?.isSending == true, capture == counts.transmissions else { return }
        endTransmission(cause)
    }

    /// Row 11: active when the first sound has come or can go.
    private mutating func streamStarted() {
        guard audio == .activating else { return }
        audio = .active
        audioNotifications.append(.word("audioActivated"))
    }

    // MARK: The speaker

    mutating func playbackStarted(_ playback: Int) {
        switch channel?.remote?.hearing {
        case .opening(playback, let requests):
            answers += Array(repeating: "done", count: requests)
            channel?.remote?.hearing = .playing(playback: playback)
        case .playing(playback): break
        case .opening, .playing, .taken, nil: return
        }
        streamStarted()
    }

    mutating func playbackFailed(_ playback: Int) {
        switch channel?.remote?.hearing {
        // A speaker that cannot be opened is the error of the request, not an interruption.
        case .opening(playback, requests: _): endReception()
        case .playing(playback): channel?.remote?.hearing = .taken
        case .opening, .playing, .taken, nil: break
        }
    }

    /// - Returns: Why nobody can talk to this machine now.
    mutating func receive(_ speaker: ApplicationInterface.Speaker) -> String? {
        // Row 32.
        if channel?.mode == .halfDuplex, channel?.talk != nil { return "transmissionInProgress" }
        // Proof 41: no success without activation.
        if obstacle != nil { return "unknown" }
        let old = channel?.remote
        let hearing: Hearing
        switch old?.hearing {
        case .opening, .playing: hearing = old?.hearing ?? .taken
        case .taken, nil:
            counts.playbacks += 1
            hearing = .opening(playback: counts.playbacks, requests: 0)
        }
        channel?.remote = Remote(name: speaker.name, hearing: hearing)
        if old?.name != speaker.name { notifications.append(.word("participantChanged")) }
        return nil
    }

    /// Row 30. Requests that wait for the speaker were never carried out.
    mutating func endReception(_ refusal: String = "unknown") {
        guard let remote = channel?.remote else { return }
        if case .opening(_, let requests) = remote.hearing {
            answers += Array(repeating: refusal, count: requests)
        }
        channel?.remote = nil
        notifications.append(.word("participantChanged"))
    }

    /// Something stands between who talks and the speaker: who was never heard is not interrupted.
    private mutating func interruptReception() {
        switch channel?.remote?.hearing {
        case .opening: endReception()
        case .playing: channel?.remote?.hearing = .taken
        case .taken, nil: break
        }
    }

    /// Proof 68: who was interrupted is heard again by themselves, once nothing stands between.
    private mutating func resumeReception() {
        guard obstacle == nil, case .taken = channel?.remote?.hearing else { return }
        counts.playbacks += 1
        channel?.remote?.hearing = .playing(playback: counts.playbacks)
    }

    // MARK: What is around

    mutating func audioServerReady() {
        guard !hasAudioServer else { return }
        hasAudioServer = true
        notifications.append(.word("audioServerReady"))
        resumeReception()
    }

    mutating func audioServerLost() {
        guard hasAudioServer else { return }
        endTransmission(.audioServerLost)
        interruptReception()
        hasAudioServer = false
        notifications.append(.word("audioServerLost"))
    }

    /// An application without an audio socket gets nothing of what is captured: that ends, and nothing begins.
    mutating func audioConnectionLost(_ client: ClientID) {
        let isApplication = channel?.running?.client == client
        if isApplication || attachments[client] != nil { withoutAudio.insert(client) }
        guard isApplication else { return }
        endTransmission(.audioConnectionLost)
        interruptReception()
    }

    mutating func audioConnectionReady(_ client: ClientID) {
        guard withoutAudio.remove(client) != nil, channel?.running?.client == client else { return }
        resumeReception()
    }

    mutating func suspend() {
        endTransmission(.suspended)
        interruptReception()
        if power == .awake { power = .suspending }
    }

    mutating func resume() {
        guard power == .suspending else { return }
        power = .awake
        resumeReception()
    }

    /// A locked screen by itself ends no transmission: it takes the foreground.
    mutating func lock() {
        isLocked = true
        switch whileLocked {
        case .allow: break
        case .refuse: endTransmission(.sessionLocked)
        }
    }

    mutating func shutDown() {
        power = .over
        endTransmission(.shuttingDown)
        endReception()
    }
}
