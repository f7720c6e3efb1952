import PTTMessages
public import PTTPlatformTypes

/// Linux: 20 milliseconds of sound, mono at 48 kHz.
public struct PTTAudioFrame: Sendable, Hashable {
    /// Samples in each frame.
    public static let sampleCount = 960
    /// Samples in a second.
    public static let sampleRate = 48_000

    /// Signed 16-bit samples.
    public let samples: [Int16]
    /// Counts the frames of one transmission from 0; a gap says that the application was too slow.
    public let sequence: UInt64
    /// When the first sample was captured, in nanoseconds of the monotonic clock.
    public let timestamp: Int64

    /// A frame to play.
    ///
    /// - Parameter samples: ``sampleCount`` of them; silence fills up what is missing, and what is too much is cut off.
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
    /// Linux: the sound of the active session. On iOS an application opens its own audio units; here the core captures
    /// and plays, and the application needs no audio code.
    public var ptt: PTTAudio { PTTAudio() }
}

/// Linux: microphone and speaker of the active audio session.
public struct PTTAudio: Sendable {
    /// What the microphone hears, from `didActivate` on until `didDeactivate` or the end of the manager, where the sequence
    /// ends. Empty while the session is not active, and without frames while nobody transmits.
    public var microphone: PTTMicrophone { PTTMicrophone() }

    /// What people hear while a remote participant is set.
    public var speaker: PTTSpeaker { PTTSpeaker() }
}

/// Linux: the frames of the microphone, in order. Each iteration gets all of them.
public struct PTTMicrophone: AsyncSequence, Sendable {
    public typealias Element = PTTAudioFrame

    public func makeAsyncIterator() -> AsyncStream<PTTAudioFrame>.Iterator {
        AudioHub.shared.listen().makeAsyncIterator()
    }
}

/// Linux: the loudspeaker, for who talks at the other end.
public struct PTTSpeaker: Sendable {
    /// How far what was taken may be ahead of what is heard.
    private static let lead = 15

    /// Plays a frame after all earlier ones. Returns when there is room for another, so that whoever plays a recording is
    /// held to its pace; what is played while no participant is set is dropped.
    ///
    /// - Parameter frame: 20 milliseconds.
    /// - Returns: False if there is no core to play it.
    @discardableResult
    public func play(_ frame: PTTAudioFrame) async -> Bool {
        await AudioHub.shared.play(frame.bytes)
    }

    /// Returns when all that was played has been heard. Call it before the participant is taken away, which ends the
    /// playback at once.
    public func finish() async {
        // Silence pushes what is ahead of it through the same queues, at their pace.
        for _ in 0..<Self.lead where await !play(PTTAudioFrame(samples: [])) { return }
    }
}
