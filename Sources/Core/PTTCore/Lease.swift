import PTTMessages

/// The right to transmit, while a transmission lasts: it belongs to one connection and one origin, and is
/// limited in time.
struct Lease: Equatable, Sendable {
    var transmission: Transmission
    let holder: ClientID
    /// The time at which to warn of the limit; nil once that is done.
    var warning: MonotonicTime?
    let limit: MonotonicTime
    /// True from a tap that latches until ``Tone/latched`` is played.
    var latchIsSilent = false
    /// Set while a release lags.
    var released: Released?
    /// Nil while the application that is to receive it is being started.
    var capture: Capture?

    /// A person has released the button, and what they said last is still on its way from the microphone.
    struct Released: Equatable, Sendable {
        let source: TransmitSource
        /// The latest time at which the transmission ends.
        let due: MonotonicTime
    }

    /// True if its holder receives it, and nobody else.
    var isRecording: Bool { transmission.recording != nil }

    var isLive: Bool { capture?.isLive == true }

    /// The part of its microphone in the audio session.
    var microphone: AudioSession.Microphone? {
        guard capture != nil, !isRecording else { return nil }
        return transmission.role == .emergency ? .own : .shared
    }

    var deadline: MonotonicTime {
        let due = released?.due ?? warning ?? limit
        return capture?.gateLimit.map { min($0, due) } ?? due
    }
}
