import PTTMessages

struct Playback: Equatable, Sendable {
    let playbackID: PlaybackID
    let format: AudioFormat
    let writer: ClientID
}

/// The audio session of the channel: it is on while the microphone of a transmission, or the speaker, is
/// open.
struct AudioSession: Equatable, Sendable {
    /// The use of the session by the open microphone. A recording, which is no matter of the channel, has
    /// none.
    enum MicrophoneUse: Equatable, Sendable {
        case shared
        /// The use by an emergency: it is shared only with a speaker that plays at the same time. An
        /// application begins to record when the session is activated, and in half duplex expects no
        /// transmission while the session is active for a participant.
        case own
    }

    private var microphone: MicrophoneUse?
    /// Open exactly during a reception that is played.
    private(set) var speaker: Playback?
    private var playbackCount = 0
    /// True if a stream has started since the session is on.
    private var hasStarted = false
    /// The interruption that ended the session while it was in use, and that still lasts.
    private var interruption: Interruption?

    var state: AudioState {
        isOn ? hasStarted ? .active : .activating : .inactive
    }

    private var isOn: Bool { microphone != nil || speaker != nil }

    var nextPlaybackID: PlaybackID { PlaybackID(rawValue: playbackCount + 1) }

    /// Opens or closes the speaker, and publishes what that and the microphone mean for the session. One that
    /// stays on is not published.
    ///
    /// - Parameters:
    ///   - new: The use by the microphone; nil unless one is open.
    ///   - playback: The stream for the reception, if there is one.
    ///   - interruption: The interruption of the reception, if it is interrupted.
    ///   - effects: Receives what is to be done.
    mutating func update(
        microphone new: MicrophoneUse?,
        playback: Playback?,
        interruption: Interruption?,
        effects: inout EffectCollector
    ) {
        var wasOn = isOn
        if let speaker, playback == nil {
            effects.close(speaker)
            self.speaker = nil
        }
        if microphone == .own, new == nil, speaker == nil, playback != nil {
            deactivate(interruption, effects: &effects)
            wasOn = false
        }
        microphone = new
        if let playback, speaker == nil {
            playbackCount += 1
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
    mutating func reset() { interruption = nil }

    /// The reception that was interrupted has ended. A call lasts without it.
    mutating func clearInterruption() {
        if interruption != .call { interruption = nil }
    }

    /// The session ends for this reason.
    mutating func interrupt(_ interruption: Interruption, effects: inout EffectCollector) {
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
        if let interruption { interrupt(interruption, effects: &effects) }
        effects.publish(.audioDeactivated)
    }

    /// The microphone has delivered its first buffer, or the speaker is open.
    mutating func streamStarted(effects: inout EffectCollector) {
        guard !hasStarted else { return }
        hasStarted = true
        effects.publish(.audioActivated)
    }
}
