extension CaptureStream {
    package enum Event: Sendable, Equatable {
        /// The device is verified as the requested one, and may deliver from now on.
        case opened(SourceState)
        /// The first fragment has arrived and is delivered next: the microphone is live.
        case started
        /// No fragment arrived within `stallLimit` after the last one, or within
        /// ``CaptureStream/startLimit`` at the start.
        case stalled
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
    package internal(set) var isSilent: Bool
    /// True if that is so without the stream, of which the server says nothing once it is closed.
    package let isDeafItself: Bool

    /// True if it delivers nothing but zeros.
    package var isDeaf: Bool { isMuted || isSilent }

    /// - Parameters:
    ///   - source: The captured source. Software delivers zeros while its microphones are muted.
    ///   - devices: The list in which it was, at least of the sources.
    ///   - stream: The server's index of the stream that captures, which a person can mute as well. The
    ///     server remembers that for the program's next one. Nil if there is none.
    init(_ source: AudioDevice, in devices: AudioDevices, stream: UInt32?) {
        name = source.name
        description = source.description
        let origins = devices.origins(of: source)
        let own = devices.sourceOutputs.first { $0.isOwn && $0.index == stream }
        let isSourceMuted = source.isMuted || !origins.isEmpty && origins.allSatisfy(\.isMuted)
        // PipeWire has no volume of a monitor: what a person has named is captured as it is.
        let isSourceSilent =
            source.isSilent && !source.isMonitor || !origins.isEmpty && origins.allSatisfy(\.isSilent)
        isMuted = own?.isMuted == true || isSourceMuted
        isSilent = own?.isSilent == true || isSourceSilent
        isDeafItself = isSourceMuted || isSourceSilent
    }
}

extension AudioDevices {
    /// The state of a source that is not captured from, by the server's name of it; nil if it is not there.
    /// The sources must have been listed, and the streams that record.
    package func state(ofSource name: String) -> SourceState? {
        sources.first { $0.name == name }.map { SourceState($0, in: self, stream: nil) }
    }
}
