import PTTCore
import PTTMessages

extension Model {
    /// Semantics, “When the session is active”: it is on during a transmission or a reception. A change of
    /// that activates or deactivates it, after the events of the transmission and the participant; a change
    /// that leaves it on is not published.
    mutating func updateAudio() {
        mute()
        let format = receivedFormat
        if isSending, transmission?.format == nil { transmission?.format = format }
        let isWanted = isHeardSending || channel?.isHeard == true
        if hadEmergencySession, isWanted, !isHeardSending { endSession() }
        let remote = channel?.remote
        switch (audio, isWanted) {
        case (.inactive, true):
            audio = .activating
            audioNotifications.append(.kind("audioActivating"))
        case (.interrupted, true):
            audio = .activating
            isInterruptedByCall = false
            audioNotifications += [.kind("audioInterruptionEnded"), .kind("audioActivating")]
        case (.activating, false), (.active, false):
            if case .interrupted = remote?.reception {
                audioNotifications.append(.interrupted(obstacle ?? .speakerLost))
                audio = .interrupted
            } else {
                audio = isInterruptedByCall ? .interrupted : .inactive
            }
            audioNotifications.append(.kind("audioDeactivated"))
        case (.interrupted, false):
            // There is no reception left to interrupt.
            if remote == nil, !isInterruptedByCall { audio = .inactive }
        case (.inactive, false), (.activating, true), (.active, true): break
        }
    }

    /// Ours: an emergency has a session of its own, as half-duplex applications record from an activation on,
    /// unless a participant is heard at the same time.
    mutating func endSession() {
        switch audio {
        case .inactive, .interrupted: return
        case .activating, .active: audio = .inactive
        }
        if case .interrupted = channel?.remote?.reception {
            audio = .interrupted
            audioNotifications.append(.interrupted(obstacle ?? .speakerLost))
        }
        audioNotifications.append(.kind("audioDeactivated"))
    }

    /// The speaker is closed during an emergency in half duplex, and opened again after it.
    private mutating func mute() {
        switch channel?.remote?.reception {
        case .playing(.some) where channel?.isHeard == false:
            channel?.remote?.reception = .playing(playback: nil)
        case .playing(nil) where channel?.isHeard == true:
            counts.playbacks += 1
            channel?.remote?.reception = .playing(playback: counts.playbacks)
        case .opening, .playing, .interrupted, .unheard, nil: break
        }
    }

    /// Semantics, “An interruption”: why nothing can be played, whatever the speaker does. Ours: the order.
    var obstacle: Interruption? {
        if power != .awake { return .suspended }
        if isSessionInactive != false { return .sessionInactive }
        if !hasAudioServer { return .audioServerLost }
        if let client = channel?.running?.client, withoutAudio.contains(client) {
            return .audioConnectionLost
        }
        return nil
    }

    // MARK: The microphone

    /// The format that the one who receives the microphone has asked for.
    var receivedFormat: AudioFormat {
        recording?.recordingFormat ?? channel?.running.flatMap { attachments[$0.client]?.format }
            ?? .standard
    }

    /// Events of a stream that has been closed are ignored.
    mutating func captureStarted(_ capture: Int) {
        guard isSending, capture == counts.transmissions else { return }
        if isDeaf { return endTransmission(.microphoneMuted) }
        if !isLive { announceMicrophone() }
        if recording == nil { streamStarted() }
    }

    /// Ours: nobody speaks to a microphone that delivers zeros, and learns it only from the other end.
    mutating func microphoneChanged(_ microphone: MicrophoneState) {
        if microphone != self.microphone { notifications.append(.kind("microphoneChanged")) }
        self.microphone = microphone
        if isSending, isLive, isDeaf { endTransmission(.microphoneMuted) }
    }

    private var isDeaf: Bool { microphone.map { $0.isMuted || $0.isSilent } ?? false }

    mutating func captureFailed(_ capture: Int, _ cause: EndCause) {
        guard isSending, capture == counts.transmissions else { return }
        endTransmission(cause)
    }

    /// Semantics, “A begin by the application”: active once the first samples have arrived or can be played.
    private mutating func streamStarted() {
        guard audio == .activating else { return }
        audio = .active
        audioNotifications.append(.kind("audioActivated"))
    }

    // MARK: The speaker

    mutating func playbackStarted(_ playback: Int) {
        switch channel?.remote?.reception {
        case .opening(playback, let requests):
            answers += Array(repeating: "done", count: requests)
            channel?.remote?.reception = .playing(playback: playback)
        case .playing(playback): break
        case .opening, .playing, .interrupted, .unheard, nil: return
        }
        streamStarted()
    }

    mutating func playbackFailed(_ playback: Int) {
        switch channel?.remote?.reception {
        // A speaker that cannot be opened fails the request and interrupts nothing.
        case .opening(playback, requests: _): endReception("speakerUnavailable")
        case .playing(playback): channel?.remote?.reception = .interrupted(since: now)
        case .opening, .playing, .interrupted, .unheard, nil: break
        }
    }

    /// - Returns: Why no reception can begin now.
    mutating func receive(_ speaker: ApplicationInterface.Speaker, fromPush: Bool) -> String? {
        // Semantics, “A participant while transmitting”.
        if channel?.mode == .halfDuplex, channel?.transmission != nil { return "talkedOver" }
        if let standstill { return standstill }
        // Semantics, “Success means activation”, “A call while receiving”: no success without activation, and
        // a push is accepted during a call.
        if call != nil, !fromPush { return "callActive" }
        if call == nil, obstacle != nil { return hasAudioServer ? "noAudioConnection" : "noAudioServer" }
        // Ours: sixteen requests wait at most.
        if case .opening(_, requests: 16) = channel?.remote?.reception { return "tooManyWaiting" }
        let old = channel?.remote
        let reception: Reception
        switch old?.reception {
        case _ where call != nil: reception = .unheard
        case .opening, .playing: reception = old?.reception ?? .unheard
        case .interrupted, .unheard, nil:
            counts.playbacks += 1
            reception = .opening(playback: counts.playbacks, requests: 0)
        }
        channel?.remote = Remote(name: speaker.name, reception: reception)
        if old?.name != speaker.name { notifications.append(.kind("participantChanged")) }
        return nil
    }

    /// Semantics, “Success means activation”, “A participant by a push”.
    ///
    /// - Returns: Nil for a request that waits for the speaker.
    mutating func answerWhenOpen() -> String? {
        guard case .opening(let playback, let requests) = channel?.remote?.reception else { return "done" }
        channel?.remote?.reception = .opening(playback: playback, requests: requests + 1)
        return nil
    }

    /// Semantics, “The end of a participant”: requests that wait for the speaker are refused.
    mutating func endReception(_ refusal: String) {
        guard let remote = channel?.remote else { return }
        if case .opening(_, let requests) = remote.reception {
            answers += Array(repeating: refusal, count: requests)
        }
        channel?.remote = nil
        notifications.append(.kind("participantChanged"))
    }

    /// Semantics, “A participant while transmitting”: a participant whose speaker has not opened cannot be
    /// heard during a transmission in half duplex.
    mutating func refuseUnheard() {
        guard channel?.isHeard == false, case .opening = channel?.remote?.reception else { return }
        endReception("talkedOver")
    }

    /// A reception whose speaker never opened is refused, not interrupted.
    mutating func interruptReception(_ refusal: String) {
        switch channel?.remote?.reception {
        case .opening: endReception(refusal)
        case .playing: channel?.remote?.reception = .interrupted(since: now)
        case .interrupted, .unheard, nil: break
        }
    }

    /// A clock that stops while the machine sleeps does not count that time.
    mutating func slept(_ seconds: Int) {
        guard case .interrupted(let since) = channel?.remote?.reception else { return }
        channel?.remote?.reception = .interrupted(since: since + .seconds(-seconds))
    }

    /// Semantics, “An interruption”: an interrupted reception continues once nothing prevents it. Ours: not
    /// after more than a minute.
    mutating func resumeReception() {
        guard obstacle == nil, case .interrupted(let since) = channel?.remote?.reception else { return }
        if now - since > .seconds(60) {
            channel?.remote?.reception = .unheard
            if audio == .interrupted { audioNotifications.append(.kind("audioInterruptionEnded")) }
            if audio == .interrupted { audio = .inactive }
            return
        }
        // The speaker is opened once no emergency mutes it.
        channel?.remote?.reception = .playing(playback: nil)
    }

    // MARK: Audio server, sockets and system

    mutating func audioServerReady() {
        guard !hasAudioServer else { return }
        hasAudioServer = true
        notifications.append(.kind("audioServerReady"))
        resumeReception()
    }

    mutating func audioServerLost() {
        guard hasAudioServer else { return }
        endTransmission(.audioServerLost)
        interruptReception("noAudioServer")
        hasAudioServer = false
        notifications.append(.kind("audioServerLost"))
    }

    /// No frames reach an application without an audio socket: its transmission ends, and none begins.
    mutating func audioConnectionLost(_ client: ClientID) {
        if recording?.client == client { endTransmission(.audioConnectionLost) }
        let isApplication = channel?.running?.client == client
        if isApplication || attachments[client] != nil { withoutAudio.insert(client) }
        guard isApplication else { return }
        endHeard(.audioConnectionLost)
        interruptReception("noAudioConnection")
    }

    mutating func audioConnectionReady(_ client: ClientID) {
        guard withoutAudio.remove(client) != nil, channel?.running?.client == client else { return }
        resumeReception()
    }

    mutating func suspend() {
        endTransmission(.suspended)
        interruptReception("suspending")
        if power == .awake { power = .suspending }
    }

    mutating func resume() {
        guard power == .suspending else { return }
        power = .awake
        resumeReception()
    }

    /// A locked screen alone ends no transmission: it puts applications into the background.
    mutating func lock() {
        isLocked = true
        switch whileLocked {
        case .allow: break
        case .refuse: endTransmission(.sessionLocked)
        }
    }

    mutating func shutDown() {
        power = .shuttingDown
        endTransmission(.shuttingDown)
        endReception("shuttingDown")
    }
}
