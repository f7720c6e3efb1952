/// A volume in percent, on the cubic scale of PulseAudio's volume controls: 100 changes nothing, 50 sounds
/// half as loud.
struct Gain {
    private let factor: Float

    init(percent: Int) {
        let level = Float(percent) / 100
        factor = level * level * level
    }

    /// - Parameters:
    ///   - samples: 16 bits, of the machine's byte order, aligned or not.
    ///   - result: Receives the samples; those that would be too large are the largest.
    func apply(to samples: UnsafeRawBufferPointer, into result: inout [Int16]) {
        result.removeAll(keepingCapacity: true)
        for offset in stride(from: 0, to: samples.count - 1, by: 2) {
            let sample = Float(samples.loadUnaligned(fromByteOffset: offset, as: Int16.self))
            result.append(Int16(max(-32_768, min(32_767, sample * factor))))
        }
    }
}
