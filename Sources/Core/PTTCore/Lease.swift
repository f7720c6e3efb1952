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

    /// A person has released the button, and what they said last is still on its way from the microphone.
    struct Released: Equatable, Sendable {
        let source: TransmitSource
        /// The latest time at which the transmission ends.
        let due: MonotonicTime
    }

    /// True if its holder receives it, and nobody else.
    var isRecording: Bool { transmission.recording != nil }

    /// Each transmission has one capture stream, which has its number.
    var captureID: CaptureID { CaptureID(rawValue: transmission.transmissionID.rawValue) }

    var deadline: MonotonicTime { released?.due ?? warning ?? limit }
}
