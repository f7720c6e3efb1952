extension CaptureStream {
    package enum Event: Sendable, Equatable {
        /// The device is verified as the requested one, and may deliver from now on.
        case opened(SourceState)
        /// The first fragment has arrived and is delivered next: the microphone is live.
        case started
        /// No fragment arrived within `stallLimit` after the last one, or within `startLimit` at the start.
        case stalled
        /// Fragments arrive again after `stalled`.
        case resumed
        /// The device was suspended, or resumed.
        case suspended(Bool)
        /// The user has muted the source or changed its volume to or from 0, or another port of it is in use.
        case changed(SourceState)
        /// The stream has ended. Reported at most once, as the last event.
        case failed(AudioError)
    }
}

/// A source that is captured from, as the user has set it. Nothing here ever changes it.
package struct SourceState: Sendable, Equatable {
    /// The server's name of it.
    package let name: String
    /// For people.
    package let description: String
    /// Muted in the server: the samples are zero.
    package let isMuted: Bool
    /// The volume is 0 in the server: the samples are zero.
    package let isSilent: Bool

    init(_ source: AudioDevice) {
        name = source.name
        description = source.description
        isMuted = source.isMuted
        isSilent = source.isSilent
    }
}
