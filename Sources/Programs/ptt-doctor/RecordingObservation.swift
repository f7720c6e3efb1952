import EventLoop
import Glibc
import PTTMessages
import PulseAudio

extension RecordingFacts {
    /// Records from the microphone that a press would open, and keeps nothing of it but the loudest sample.
    @EventLoop
    static func observed(for length: Duration, preferring preferences: [String]) async -> RecordingFacts {
        let sound = SoundServer()
        defer { sound.close() }
        do throws(Silence) {
            try await sound.connect()
        } catch {
            return .failed(reason: Text("the sound server does not answer"))
        }
        let meter = PeakMeter()
        var stream: CaptureStream?
        let facts: RecordingFacts = await withCheckedContinuation { continuation in
            // Some seconds for a headset that changes its profile.
            let answer = FirstAnswer(
                continuation,
                after: length + .seconds(6),
                .failed(reason: Text("it delivered nothing"))
            )
            let end = TimerSource { answer.give(.heard(peak: meter.level)) }
            do throws(AudioError) {
                stream = try CaptureStream(
                    on: sound.server,
                    StreamRequest(name: "pttctl doctor", preferences: preferences),
                    events: { event in
                        switch event {
                        case .started: end.arm(after: length)
                        case .failed(let error): answer.give(.failed(reason: Text(verbatim: error.reason)))
                        case .opened, .stalled, .changed: break
                        }
                    },
                    fragments: { samples, _ in meter.add(samples) }
                )
            } catch {
                answer.give(.failed(reason: Text(verbatim: error.reason)))
            }
        }
        stream?.close()
        return facts
    }
}

/// The loudest of signed 16-bit samples.
@EventLoop
private final class PeakMeter {
    private var peak = 0

    /// In dB of full scale; nil if all were zero.
    var level: Double? { peak == 0 ? nil : 20 * log10(Double(peak) / 32768) }

    func add(_ samples: UnsafeRawBufferPointer) {
        for offset in stride(from: 0, to: samples.count - 1, by: 2) {
            let sample = Int16(littleEndian: samples.loadUnaligned(fromByteOffset: offset, as: Int16.self))
            peak = max(peak, abs(Int(sample)))
        }
    }
}
