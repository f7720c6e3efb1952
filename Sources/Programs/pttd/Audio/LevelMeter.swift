import Glibc
import PTTMessages

/// The level of the samples that have passed: their root mean square, which is nearer to how loud they sound
/// than their peak.
struct LevelMeter {
    private var squares = 0.0
    private var count = 0

    /// - Parameter samples: Signed 16-bit little-endian samples, of any number of channels.
    mutating func add(_ samples: UnsafeRawBufferPointer) {
        for offset in stride(from: 0, to: samples.count - 1, by: 2) {
            let sample = samples.loadUnaligned(fromByteOffset: offset, as: Int16.self)
            let value = Double(Int16(littleEndian: sample))
            squares += value * value
        }
        count += samples.count / 2
    }

    /// The level since the last call in dB of full scale, in tenths; nil if no samples have passed.
    mutating func take() -> Double? {
        defer { (squares, count) = (0, 0) }
        guard count > 0 else { return nil }
        let fullScale = 32768.0
        let level = 10 * log10(squares / Double(count) / (fullScale * fullScale))
        return max(Double(ChannelInterface.LevelReport.floor), (level * 10).rounded() / 10)
    }
}
