import Glibc

/// Recognises the 440 Hz tone of the guest's microphone with Goertzel's algorithm.
///
/// It evaluates windows of 50 ms, because the clock of a virtual machine is too uneven for a phase over
/// seconds. A window counts if most of its power is at 440 Hz; noise, a click or another tone does not pass.
struct ToneDetector {
    private static let rate = 48_000.0
    private static let frequency = 440.0
    private static let window = 2_400
    private static let leastShare = 0.8
    /// Half a second in a row: longer than what the sound server buffers from before a stream began.
    private static let windowsInARow = 10

    private var samples: [Double] = []
    private var inARow = 0
    private var packets = 0
    private var power = 0.0
    private var share = 0.0

    /// True if the tone lasted for half a second without a break.
    private(set) var isDetected = false

    var description: String {
        "\(packets) packets, the last with power \(Int(power)) and \(Int(100 * share)) % of it at 440 Hz"
    }

    /// - Parameter bytes: Mono samples, S16LE.
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        packets += 1
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let sample = Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
            samples.append(Double(sample))
            index += 2
        }
        while samples.count >= Self.window {
            evaluate(samples.prefix(Self.window))
            samples.removeFirst(Self.window)
        }
    }

    private mutating func evaluate(_ window: ArraySlice<Double>) {
        let coefficient = 2 * cos(2 * Double.pi * Self.frequency / Self.rate)
        var (last, beforeLast, squares) = (0.0, 0.0, 0.0)
        for sample in window {
            (last, beforeLast) = (sample + coefficient * last - beforeLast, last)
            squares += sample * sample
        }
        let magnitude = last * last + beforeLast * beforeLast - coefficient * last * beforeLast
        let count = Double(window.count)
        power = squares / count
        share = power > 0 ? 2 * magnitude / count / count / power : 0
        inARow = power >= 1 && share >= Self.leastShare ? inARow + 1 : 0
        if inARow >= Self.windowsInARow { isDetected = true }
    }
}
