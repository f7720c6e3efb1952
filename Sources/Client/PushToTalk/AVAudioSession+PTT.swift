import PTTMessages
public import PTTPlatformTypes

/// Linux: 20 milliseconds of audio, mono at 48 kHz.
public struct PTTAudioFrame: Sendable, Hashable {
    /// Samples per frame.
    public static let sampleCount = 960
    /// Samples per second.
    public static let sampleRate = 48_000

    /// Signed 16-bit samples.
    public let samples: [Int16]
    /// The number of the frame within its transmission, from 0. A gap means that the application read too
    /// slowly.
    public let sequence: UInt64
    /// The time at which the first sample was captured, in nanoseconds of `CLOCK_MONOTONIC`.
    public let timestamp: Int64

    /// Creates a frame to play.
    ///
    /// - Parameter samples: ``sampleCount`` samples. Silence is appended to fewer, and excess samples are
    ///   dropped.
    public init(samples: [Int16]) {
        let missing = max(0, Self.sampleCount - samples.count)
        self.samples = samples.prefix(Self.sampleCount) + [Int16](repeating: 0, count: missing)
        sequence = 0
        timestamp = 0
    }

    init(_ header: AudioPacketHeader, _ bytes: ArraySlice<UInt8>) {
        samples = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
        sequence = header.sequence
        timestamp = header.timestamp.nanoseconds
    }

    var bytes: [UInt8] {
        samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }
}

extension AVAudioSession {
    /// Linux: the audio of the active session. On iOS an application runs its own audio units; here `pttd`
    /// captures and plays, and the application needs no audio code.
    public var ptt: PTTAudio { PTTAudio() }
}

/// Linux: the microphone and the speaker of the active audio session.
public struct PTTAudio: Sendable {
    /// The captured frames, from `didActivate` until `didDeactivate` or the end of the manager, which end the
    /// sequence. It is empty while the session is inactive, and has no frames while there is no transmission.
    public var microphone: PTTMicrophone { PTTMicrophone() }

    /// Plays frames while a remote participant is set.
    public var speaker: PTTSpeaker { PTTSpeaker() }
}

/// Linux: the frames of the microphone, in order. Each iterator receives every frame.
public struct PTTMicrophone: AsyncSequence, Sendable {
    public typealias Element = PTTAudioFrame

    public func makeAsyncIterator() -> AsyncStream<PTTAudioFrame>.Iterator {
        AudioHub.shared.listen().makeAsyncIterator()
    }
}

/// Linux: the speaker, for the audio of the remote participant.
public struct PTTSpeaker: Sendable {
    /// Frames that may be accepted and not yet be heard.
    private static let lead = 15

    /// Plays a frame after all earlier ones. Returns when there is room for another frame, so that a loop
    /// over a recording takes as long as the recording. A frame that is played while no participant is set is
    /// dropped.
    ///
    /// - Parameter frame: 20 milliseconds of audio.
    /// - Returns: False if `pttd` cannot be reached.
    @discardableResult
    public func play(_ frame: PTTAudioFrame) async -> Bool {
        await AudioHub.shared.play(frame.bytes)
    }

    /// Returns when all frames have been heard. Call it before setting the participant to nil, which ends
    /// playback immediately.
    public func finish() async {
        // Silence passes through the same queues, after all frames before it.
        for _ in 0..<Self.lead where await !play(PTTAudioFrame(samples: [])) { return }
    }
}
