import PTTMessages

/// The right to transmit, while a transmission lasts: it belongs to one connection and one origin, and is
/// limited in time.
struct Lease: Equatable, Sendable {
    var transmission: Transmission
    let holder: ClientID
    /// The time at which to warn of the limit; nil once that is done.
    var warning: MonotonicTime?
    let limit: MonotonicTime
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

    /// The transmission if it is latched and ``Tone/latched`` can say so: once the talk permit is over, which
    /// that tone would replace; in full duplex too, where no other one says that the microphone is open.
    var audibleLatch: TransmissionID? {
        transmission.latched != nil && capture?.isOpen == true ? transmission.transmissionID : nil
    }

    var sessionUse: AudioSession.MicrophoneUse? {
        guard capture != nil, !isRecording else { return nil }
        return transmission.role == .emergency ? .own : .shared
    }

    var deadline: MonotonicTime {
        let due = released?.due ?? warning ?? limit
        return capture?.gateLimit.map { min($0, due) } ?? due
    }
}
