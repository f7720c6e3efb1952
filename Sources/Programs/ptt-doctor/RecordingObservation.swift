import EventLoop
import Glibc
import PTTMessages
import PulseAudio

extension RecordingFacts {
    /// Records from the microphone that a press would open, and keeps nothing of it but the loudest sample.
    @EventLoop
    static func observed(for length: Duration, preferring preferences: [String]) async -> RecordingFacts {
        let sound = AudioServer.forDoctor()
        defer { sound.close() }
        do throws(Silence) {
            try await sound.reach()
        } catch {
            return .failed(reason: Text("the sound server does not answer"))
        }
        var peak = 0
        var stream: CaptureStream?
        let facts: RecordingFacts = await withCheckedContinuation { continuation in
            // Some seconds for a headset that changes its profile.
            let answer = FirstAnswer(
                continuation,
                after: length + .seconds(6),
                .failed(reason: Text("it delivered nothing"))
            )
            let end = TimerSource {
                answer.give(.heard(peak: peak == 0 ? nil : 20 * log10(Double(peak) / 32768)))
            }
            do throws(AudioError) {
                stream = try CaptureStream(
                    on: sound,
                    StreamRequest(name: "pttctl doctor", preferences: preferences),
                    events: { event in
                        switch event {
                        case .started: end.arm(after: length)
                        case .failed(let error): answer.give(.failed(reason: Text(verbatim: error.reason)))
                        case .opened, .stalled, .changed: break
                        }
                    },
                    fragments: { samples, _ in
                        for sample in samples.bindMemory(to: Int16.self) {
                            peak = max(peak, Int(sample.magnitude))
                        }
                    }
                )
            } catch {
                answer.give(.failed(reason: Text(verbatim: error.reason)))
            }
        }
        stream?.close()
        return facts
    }
}
