import PTTMessages

struct Capture: Equatable, Sendable {
    let captureID: CaptureID
    let format: AudioFormat
    var session = Session.shared

    /// Its part in the audio session of the channel.
    enum Session: Equatable, Sendable {
        case shared
        /// The part of an emergency: it is shared only with a speaker that plays at the same time. An
        /// application begins to record when the session is activated, and in half duplex expects no
        /// transmission while the session is active for a participant.
        case own
        /// A recording is no matter of the channel.
        case none
    }
}

struct Playback: Equatable, Sendable {
    let playbackID: PlaybackID
    let format: AudioFormat
    let writer: ClientID
}

/// The audio session of the channel: the microphone is open exactly during a transmission, the speaker
/// exactly during a reception, and the session is on while either is open.
struct AudioSession: Equatable, Sendable {
    /// Keeps the talk permit tone out of what is delivered.
    enum Gate: Equatable, Sendable {
        /// The first buffer has not arrived.
        case closed
        /// The tone is played, and may be captured until the shell reports that it is not, or until this
        /// time.
        case opening(until: MonotonicTime)
        case open
    }

    struct Microphone: Equatable, Sendable {
        let capture: Capture
        var gate = Gate.closed
        /// True if frames go to a sink.
        var isDelivered = false
    }

    private(set) var microphone: Microphone?
    private(set) var speaker: Playback?
    /// True if a stream has started since the session is on.
    private var hasStarted = false
    /// The interruption that ended the session while it was in use, and that still lasts.
    private(set) var interruption: Interruption?

    /// The longest time for which the tone may keep the gate closed: a tone is much shorter, and what is said
    /// must not be lost to a shell that does not report its end.
    static let gateLimit = Duration.seconds(2)

    var state: AudioState {
        isOn ? hasStarted ? .active : .activating : .inactive
    }

    private var isOn: Bool {
        speaker != nil || microphone.map { $0.capture.session != .none } ?? false
    }

    /// Opens and closes streams so that exactly the given ones are open. A session that stays on is not
    /// published.
    ///
    /// - Parameters:
    ///   - capture: The stream for the transmission, if there is one.
    ///   - playback: The stream for the reception, if there is one.
    ///   - interruption: What interrupts the reception.
    ///   - effects: Receives what is to be done.
    mutating func update(
        capture: Capture?,
        playback: Playback?,
        interruption: Interruption?,
        effects: inout EffectCollector
    ) {
        let hadOwnSession = microphone?.capture.session == .own
        var wasOn = isOn
        close(unless: capture, playback, effects: &effects)
        if wasOn, !isOn, hadOwnSession, playback != nil {
            deactivate(interruption, effects: &effects)
            wasOn = false
        }
        if let capture, microphone == nil {
            microphone = Microphone(capture: capture)
            effects.open(capture)
        }
        if let playback, speaker == nil {
            speaker = playback
            effects.open(playback)
        }
        switch (wasOn, isOn) {
        case (false, true): activate(effects: &effects)
        case (true, false): deactivate(interruption, effects: &effects)
        case (true, true), (false, false): break
        }
    }

    /// Another channel, or none, has the session, which is off. A recording goes on.
    mutating func reset() {
        hasStarted = false
        interruption = nil
    }

    /// The reception that was interrupted has ended. A call lasts without it.
    mutating func clearInterruption() {
        if interruption != .call { interruption = nil }
    }

    /// The session, if it is on, is about to end for this reason.
    mutating func interrupt(_ interruption: Interruption, effects: inout EffectCollector) {
        guard isOn else { return }
        effects.publish(.audioInterrupted(interruption: interruption))
        self.interruption = interruption
    }

    /// The reason is over, and the session stays off.
    mutating func endInterruption(effects: inout EffectCollector) {
        guard interruption != nil else { return }
        interruption = nil
        effects.publish(.audioInterruptionEnded)
    }

    private mutating func activate(effects: inout EffectCollector) {
        hasStarted = false
        // A session that is on is not interrupted, whichever stream turned it on.
        endInterruption(effects: &effects)
        effects.publish(.audioActivating)
    }

    private mutating func deactivate(_ interruption: Interruption?, effects: inout EffectCollector) {
        if let interruption {
            effects.publish(.audioInterrupted(interruption: interruption))
            self.interruption = interruption
        }
        effects.publish(.audioDeactivated)
    }

    private mutating func close(
        unless capture: Capture?,
        _ playback: Playback?,
        effects: inout EffectCollector
    ) {
        if let microphone, microphone.capture != capture {
            effects.close(microphone)
            self.microphone = nil
        }
        if let speaker, speaker != playback {
            effects.close(speaker)
            self.speaker = nil
        }
    }

    /// The first buffer of the microphone has arrived, and a tone says so if it is to be announced.
    mutating func captureStarted(isAnnounced: Bool, effects: inout EffectCollector) {
        guard let microphone, microphone.gate == .closed else { return }
        self.microphone?.gate = isAnnounced ? .opening(until: effects.now + Self.gateLimit) : .open
        if microphone.capture.session != .none { streamStarted(effects: &effects) }
        if isAnnounced { effects.sounds.append(.playTalkPermit(microphone.capture.captureID)) }
    }

    mutating func gateOpened(_ captureID: CaptureID) {
        guard let microphone, microphone.capture.captureID == captureID, case .opening = microphone.gate
        else { return }
        self.microphone?.gate = .open
    }

    /// Opens the gate at its limit.
    mutating func checkGate(at now: MonotonicTime) {
        if let gateLimit, now >= gateLimit { microphone?.gate = .open }
    }

    var gateLimit: MonotonicTime? {
        if case .opening(let limit) = microphone?.gate { limit } else { nil }
    }

    /// Returns true if this stream has delivered its first buffer.
    func isLive(_ captureID: CaptureID) -> Bool {
        microphone.map { $0.capture.captureID == captureID && $0.gate != .closed } ?? false
    }

    /// Returns true if frames of this stream are delivered where there is a sink.
    func isOpen(_ captureID: CaptureID) -> Bool {
        microphone.map { $0.capture.captureID == captureID && $0.gate == .open } ?? false
    }

    /// The microphone has delivered its first buffer, or the speaker is open.
    mutating func streamStarted(effects: inout EffectCollector) {
        guard !hasStarted else { return }
        hasStarted = true
        effects.publish(.audioActivated)
    }

    /// Delivers frames to the sink from now on, if the gate is open.
    ///
    /// A sink that appears during a transmission receives frames of it if they have the format that it asked
    /// for, and otherwise from the next transmission on.
    mutating func deliver(to sink: FrameSink?, in format: AudioFormat, effects: inout EffectCollector) {
        guard let sink, let microphone, microphone.gate == .open, !microphone.isDelivered,
            microphone.capture.format == format
        else { return }
        self.microphone?.isDelivered = true
        effects.deliver(microphone.capture.captureID, to: sink)
    }
}
