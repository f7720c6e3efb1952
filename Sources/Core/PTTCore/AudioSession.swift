import PTTMessages

struct Capture: Equatable, Sendable {
    let captureID: CaptureID
    let format: AudioFormat
}

struct Playback: Equatable, Sendable {
    let playbackID: PlaybackID
    let format: AudioFormat
    let writer: ClientID
}

/// The audio session of the channel: a microphone exactly while somebody transmits, a speaker exactly while somebody is
/// heard, active while there is one of them.
struct AudioSession: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        case inactive
        /// The streams are being opened; none has started yet.
        case activating
        case active
    }

    struct Microphone: Equatable, Sendable {
        let capture: Capture
        var isRunning = false
        /// Whom the frames go to.
        var receiver: ClientID?
    }

    private(set) var phase = Phase.inactive
    private(set) var microphone: Microphone?
    private(set) var speaker: Playback?
    /// Whether it ended while somebody wanted to be heard, who still does.
    private(set) var isInterrupted = false

    var state: AudioState {
        switch phase {
        case .inactive: .inactive
        case .activating: .activating
        case .active: .active
        }
    }

    /// Opens and closes what it takes. A change that keeps the session wanted is no news.
    ///
    /// - Parameters:
    ///   - capture: What must be open for a transmission.
    ///   - playback: What must be open for a participant.
    ///   - interruption: What keeps a participant from being heard.
    ///   - turn: Takes what follows.
    mutating func follow(
        _ capture: Capture?,
        _ playback: Playback?,
        _ interruption: Interruption?,
        _ turn: inout Turn
    ) {
        close(unless: capture, playback, &turn)
        if let capture, microphone == nil {
            microphone = Microphone(capture: capture)
            turn.open(capture)
        }
        if let playback, speaker == nil {
            speaker = playback
            turn.open(playback)
        }
        guard microphone != nil || speaker != nil else { return deactivate(interruption, &turn) }
        guard phase == .inactive else { return }
        // A session that is on is not interrupted, whoever wanted it.
        if isInterrupted { turn.publish(.audioInterruptionEnded) }
        isInterrupted = false
        phase = .activating
        turn.publish(.audioActivating)
    }

    /// Closes everything.
    ///
    /// - Parameters:
    ///   - interruption: What keeps a participant from being heard.
    ///   - turn: Takes what follows.
    mutating func end(_ interruption: Interruption?, _ turn: inout Turn) {
        close(unless: nil, nil, &turn)
        deactivate(interruption, &turn)
    }

    /// Nobody is there any more who could be heard again.
    mutating func forgetInterruption() {
        isInterrupted = false
    }

    private mutating func deactivate(_ interruption: Interruption?, _ turn: inout Turn) {
        guard phase != .inactive else { return }
        if let interruption {
            turn.publish(.audioInterrupted(interruption))
            isInterrupted = true
        }
        phase = .inactive
        turn.publish(.audioDeactivated)
    }

    private mutating func close(unless capture: Capture?, _ playback: Playback?, _ turn: inout Turn) {
        if let microphone, microphone.capture != capture {
            turn.close(microphone)
            self.microphone = nil
        }
        if let speaker, speaker != playback {
            turn.close(speaker)
            self.speaker = nil
        }
    }

    /// The first buffer of a capture stream has arrived.
    mutating func captureStarted(_ captureID: CaptureID, _ turn: inout Turn) {
        guard microphone?.capture.captureID == captureID else { return }
        microphone?.isRunning = true
        started(&turn)
    }

    mutating func playbackStarted(_ playbackID: PlaybackID, _ turn: inout Turn) {
        guard speaker?.playbackID == playbackID else { return }
        started(&turn)
    }

    private mutating func started(_ turn: inout Turn) {
        switch phase {
        case .activating:
            phase = .active
            turn.publish(.audioActivated)
        case .inactive, .active:
            break
        }
    }

    /// Frames go to the application from now on.
    ///
    /// One that comes in the middle gets frames at once if they have the format that it asked for, and
    /// otherwise from the next transmission on.
    mutating func deliver(to receiver: ClientID?, in format: AudioFormat, _ turn: inout Turn) {
        guard let receiver, let microphone, microphone.isRunning, microphone.receiver == nil,
            microphone.capture.format == format
        else { return }
        self.microphone?.receiver = receiver
        turn.deliver(microphone.capture.captureID, to: receiver)
    }
}
