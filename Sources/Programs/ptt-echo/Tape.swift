import PushToTalk

/// Records one transmission, at most its first minute, and plays it back.
@MainActor
final class Tape {
    /// One minute of frames of 20 milliseconds.
    private static let limit = 60 * 50

    private var frames: [PTTAudioFrame] = []
    private var recording: Task<Void, Never>?
    private var playback: Task<Void, Never>?

    /// Records until the system deactivates the audio session, which ends the sequence of frames.
    func record(from microphone: PTTMicrophone) {
        frames = []
        recording = Task {
            for await frame in microphone where frames.count < Self.limit { frames.append(frame) }
        }
    }

    /// Waits for the end of the recording, and returns whether there is something to play.
    var isRecorded: Bool {
        get async {
            await recording?.value
            recording = nil
            return !frames.isEmpty
        }
    }

    /// Plays the recording, and calls `finished` when all of it has been heard. Does nothing while it is
    /// playing.
    func play(to speaker: PTTSpeaker, finished: @escaping @MainActor () async -> Void) {
        guard playback == nil else { return }
        playback = Task {
            // `play` returns when there is room for the next frame, so that the loop takes as long as the
            // recording.
            for frame in frames where await !speaker.play(frame) { break }
            await speaker.finish()
            frames = []
            playback = nil
            await finished()
        }
    }
}
