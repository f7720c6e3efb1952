import PushToTalk

/// The last transmission, or its first minute.
@MainActor
final class Tape {
    /// Frames of 20 milliseconds.
    private static let limit = 60 * 50

    private var frames: [PTTAudioFrame] = []
    private var recording: Task<Void, Never>?
    private var playback: Task<Void, Never>?

    /// Records until the audio session ends, which ends the sequence of the microphone.
    func record(from microphone: PTTMicrophone) {
        frames = []
        recording = Task {
            for await frame in microphone where frames.count < Self.limit { frames.append(frame) }
        }
    }

    /// Whether there is something to play, once the recording is complete.
    var isRecorded: Bool {
        get async {
            await recording?.value
            recording = nil
            return !frames.isEmpty
        }
    }

    /// Plays what is recorded so far, and calls `finished` when all of it was heard. Does nothing if it plays already.
    func play(to speaker: PTTSpeaker, finished: @escaping @MainActor () async -> Void) {
        guard playback == nil else { return }
        playback = Task {
            // `play` returns when there is room for the next frame, so that this takes as long as the recording.
            for frame in frames where await !speaker.play(frame) { break }
            await speaker.finish()
            frames = []
            playback = nil
            await finished()
        }
    }
}
