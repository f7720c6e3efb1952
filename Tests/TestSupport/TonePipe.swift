import EventLoop
import Foundation
import Glibc

/// 440 Hz into a pipe in real time, for a sound server whose microphone is the pipe: signed 16-bit samples,
/// mono, 48 kHz.
///
/// PulseAudio's own virtual sources render up to two seconds ahead of the clock, and nothing afterwards until
/// the clock has caught up. No microphone does.
@EventLoop
final class TonePipe {
    private static let rate = 48_000
    /// A period of the tone and a whole number of samples: 11 waves.
    private static let period = 1200
    /// Older samples are lost, as with a device that is not read.
    private static let bound = rate / 10
    private static let interval = Duration.milliseconds(5)

    let path: String

    private let descriptor: OwnedDescriptor
    private let samples: [Int16]
    private let beginning = MonotonicInstant.now
    private var position = 0
    private var timer: TimerSource?

    init(_ path: String) throws {
        self.path = path
        // For reading as well: with a server that is killed there would be no reader, and writing would be a
        // signal.
        let opened = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw SystemError("open \(path)") }
        descriptor = OwnedDescriptor(adopting: opened)
        samples = (0..<Self.period + Self.bound).map { index in
            Int16(10_000 * sin(Double(index) * 440 * 2 * .pi / Double(Self.rate)))
        }
        timer = TimerSource { [weak self] in self?.write() }
        timer?.arm(after: Self.interval)
    }

    private func write() {
        timer?.arm(after: Self.interval)
        let due = Int((MonotonicInstant.now - beginning).nanoseconds * Int64(Self.rate) / 1_000_000_000)
        position = max(position, due - Self.bound)
        let start = position % Self.period
        samples[start..<start + due - position].withUnsafeBytes {
            // A pipe is full when the server is stopped; those samples are lost.
            _ = Glibc.write(descriptor.value, $0.baseAddress, $0.count)
        }
        position = due
    }
}
