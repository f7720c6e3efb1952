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
/// heard, on while there is one of them.
struct AudioSession: Equatable, Sendable {
    struct Microphone: Equatable, Sendable {
        let capture: Capture
        var isRunning = false
        /// Whether frames go to the channel's application.
        var isDelivered = false
    }

    private(set) var microphone: Microphone?
    private(set) var speaker: Playback?
    /// Whether a stream has started since it is on.
    private var hasStarted = false
    /// Whether it ended while somebody wanted to be heard, who still does.
    private(set) var isInterrupted = false

    var state: AudioState {
        isOn ? hasStarted ? .active : .activating : .inactive
    }

    private var isOn: Bool { microphone != nil || speaker != nil }

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
        let wasOn = isOn
        close(unless: capture, playback, &turn)
        if let capture, microphone == nil {
            microphone = Microphone(capture: capture)
            turn.open(capture)
        }
        if let playback, speaker == nil {
            speaker = playback
            turn.open(playback)
        }
        switch (wasOn, isOn) {
        case (false, true): activate(&turn)
        case (true, false): deactivate(interruption, &turn)
        case (true, true), (false, false): break
        }
    }

    /// Closes everything.
    ///
    /// - Parameters:
    ///   - interruption: What keeps a participant from being heard.
    ///   - turn: Takes what follows.
    mutating func end(_ interruption: Interruption?, _ turn: inout Turn) {
        follow(nil, nil, interruption, &turn)
    }

    /// Nobody is there any more who could be heard again.
    mutating func forgetInterruption() {
        isInterrupted = false
    }

    private mutating func activate(_ turn: inout Turn) {
        hasStarted = false
        // A session that is on is not interrupted, whoever wanted it.
        if isInterrupted { turn.publish(.audioInterruptionEnded) }
        isInterrupted = false
        turn.publish(.audioActivating)
    }

    private mutating func deactivate(_ interruption: Interruption?, _ turn: inout Turn) {
        if let interruption {
            turn.publish(.audioInterrupted(interruption))
            isInterrupted = true
        }
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
        guard !hasStarted else { return }
        hasStarted = true
        turn.publish(.audioActivated)
    }

    /// Frames go to the application from now on.
    ///
    /// One that comes in the middle gets frames at once if they have the format that it asked for, and
    /// otherwise from the next transmission on.
    mutating func deliver(to sink: FrameSink?, in format: AudioFormat, _ turn: inout Turn) {
        guard let sink, let microphone, microphone.isRunning, !microphone.isDelivered,
            microphone.capture.format == format
        else { return }
        self.microphone?.isDelivered = true
        turn.deliver(microphone.capture.captureID, to: sink)
    }
}
