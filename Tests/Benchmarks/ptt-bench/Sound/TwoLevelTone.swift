import EventLoop
import Glibc

/// The tone at the microphone: 440 Hz, always audible, with loud parts by which its arrival is recognised.
enum TwoLevelTone {
    private static let rate = 48_000
    /// Longer than a part of the benchmark: `pw-cat` ends with the file.
    private static let seconds = 240
    private static let loud = 20_000.0
    private static let low = 2000.0
    /// Of a loud part.
    private static let length = rate * 40 / 1000
    /// From one to the next in milliseconds: no multiple of the servers' periods, so that all phases occur.
    private static let distances = [103, 127, 111, 137, 119, 131, 107]

    /// As a WAV file, 48 kHz mono.
    static func write(to path: String) throws {
        let period = (0..<1200).map { index in
            let value = sin(2 * .pi * 440 * Double(index) / Double(rate))
            // Never zero: zeros are what the virtual source delivers outside of transmissions.
            return abs(value) < 0.02 ? (value < 0 ? -0.02 : 0.02) : value
        }
        var samples: [Int16] = []
        samples.reserveCapacity(seconds * rate)
        var (part, next) = (0, 0)
        for index in 0..<seconds * rate {
            if index == next + distances[part] * rate / 1000 {
                next = index
                part = (part + 1) % distances.count
            }
            let level = next > 0 && index < next + length ? loud : low
            samples.append(Int16(level * period[index % period.count]))
        }
        let size = UInt32(samples.count * 2)
        guard let file = fopen(path, "we") else { throw SystemError("write \(path)") }
        // "RIFF", "WAVE", "fmt " of 16 bytes: PCM, 1 channel, samples and bytes per second, 2 bytes of 16
        // bits; "data".
        let header: [UInt32] = [
            0x4646_4952, 36 + size, 0x4556_4157, 0x2074_6D66, 16, 1 | 1 << 16, UInt32(rate), UInt32(rate * 2),
            2 | 16 << 16, 0x6174_6164, size,
        ]
        let isWritten =
            fwrite(header, 4, header.count, file) == header.count
            && fwrite(samples, 2, samples.count, file) == samples.count
        guard fclose(file) == 0, isWritten else { throw SystemError("write \(path)") }
    }
}
