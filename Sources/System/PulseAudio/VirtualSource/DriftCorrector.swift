/// Keeps the level of a queue between two clocks: that of the microphone, which fills it, and that of the server's sink,
/// which empties it.
///
/// Two quartz clocks differ by up to 200 ppm: without correction the delay grows by 0.7 s in an hour, or the queue runs
/// empty every few minutes. A block of samples is made longer or shorter by one sample, which is spread over the block.
/// The queue's level jumps with every request of the server, so it is averaged over a second. What a stalled process has
/// missed arrives at once: then whole blocks are left out, with a cross-fade.
struct DriftCorrector: Equatable, Sendable {
    enum Adjustment: Equatable, Sendable {
        case none
        case lengthen
        case shorten
        /// Leave the block out. The next block that is written is cross-faded from the first one that was left out.
        case omit
    }

    /// In samples.
    private let tolerance: Double
    private let levels: ClosedRange<Double>
    private let limit: Int
    private let rate: Double
    private var average: Double?
    private var reference: Double?
    private var observed = 0.0
    /// How many blocks are still to be left out.
    private var omissions = 0

    /// - Parameter rate: In samples per second.
    init(rate: Int) {
        self.rate = Double(rate)
        tolerance = self.rate * 0.001
        levels = self.rate * 0.006...self.rate * 0.012
        limit = rate * 35 / 1000
    }

    /// - Parameters:
    ///   - level: The samples that wait, without this block.
    ///   - count: The samples of the block.
    /// - Returns: What to do with the block.
    mutating func adjustment(level: Int, adding count: Int) -> Adjustment {
        if omissions == 0, level + count > limit {
            // As many as the server plays meanwhile. Not until the level has fallen: a server that waits for more plays
            // nothing.
            let excess = level - Int(reference ?? levels.upperBound)
            omissions = max(1, excess / max(1, count))
        }
        if omissions > 0 {
            omissions -= 1
            average = nil
            return .omit
        }
        let weight = min(1, Double(count) / rate)
        let before = average ?? Double(level)
        let average = before + (Double(level) - before) * weight
        self.average = average
        observed += Double(count)
        guard let reference else {
            // The level at which the server began to play, after the unrest of the start.
            if observed >= rate { self.reference = min(max(average, levels.lowerBound), levels.upperBound) }
            return .none
        }
        if average > reference + tolerance { return .shorten }
        if average < reference - tolerance { return .lengthen }
        return .none
    }
}

/// Blocks of 16-bit mono samples, changed without a step at their ends.
enum SampleBlock {
    /// The block with another number of samples, by linear interpolation. Its first and last samples remain.
    static func stretched(_ block: UnsafeBufferPointer<Int16>, to count: Int) -> [Int16] {
        guard block.count > 1, count > 1 else { return Array(block) }
        let scale = Double(block.count - 1) / Double(count - 1)
        return (0..<count).map { index in
            let position = Double(index) * scale
            let lower = min(Int(position), block.count - 2)
            let (first, second) = (Double(block[lower]), Double(block[lower + 1]))
            return Int16((first + (second - first) * (position - Double(lower))).rounded())
        }
    }

    /// From one block to another of the same length.
    static func crossFaded(_ first: [Int16], _ second: UnsafeBufferPointer<Int16>) -> [Int16] {
        let count = min(first.count, second.count)
        let faded = (0..<count).map { index in
            let share = Double(index + 1) / Double(count)
            return Int16((Double(first[index]) * (1 - share) + Double(second[index]) * share).rounded())
        }
        return faded + second[count...]
    }
}
