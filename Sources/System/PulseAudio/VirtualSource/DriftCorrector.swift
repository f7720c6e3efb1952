/// Keeps the level of a queue between two clocks: that of the microphone, which fills it, and that of the
/// server's sink, which empties it.
///
/// Two quartz clocks differ by up to 200 ppm: without correction the delay grows by 0.7 s in an hour, or the
/// queue runs empty every few minutes. A block of samples is made longer or shorter by one sample, which is
/// spread over the block.
///
/// The lowest level counts, right after a request of the server. A server that requests 21 ms at
/// once, as PipeWire does in a virtual machine, needs a queue that rises by that much in between. The lowest
/// levels of spans of 0.1 s are averaged over a second. What a stalled process has missed arrives at once:
/// then whole blocks are left out, with a cross-fade.
struct DriftCorrector: Equatable, Sendable {
    enum Adjustment: Equatable, Sendable {
        case none
        case lengthen
        case shorten
        /// Leave the block out. The next block that is written is cross-faded from the first one that was
        /// left out.
        case omit
    }

    /// The number of spans that are averaged, and that precede the choice of the reference.
    private static let spansInAverage = 10

    /// In samples, as the other numbers without a unit.
    private let tolerance: Double
    private let levels: ClosedRange<Double>
    /// The lowest reference: higher by what a server takes at once after each time that the queue ran empty,
    /// and lower by a fifth of that after each sound in which it did not. A machine that was late once is
    /// late again.
    private var floor: Double
    private var ranEmptyInSound = false
    private let limit: Int
    private let span: Int
    private var spanLowest = Int.max
    private var spanCount = 0
    /// The lowest level of the last whole span; nil at the beginning, and after blocks were left out.
    private var lastLowest: Int?
    private var spans = 0
    private var average: Double?
    private var reference: Double?
    /// The number of samples still to be left out.
    private var surplus = 0

    /// - Parameter rate: In samples per second.
    init(rate: Int) {
        tolerance = Double(rate) * 0.001
        levels = Double(rate) * 0.005...Double(rate) * 0.020
        floor = levels.lowerBound
        limit = rate * 30 / 1000
        span = rate / 10
    }

    /// Another sound begins: nothing that was measured before counts, but how high the level has to be.
    mutating func begin() {
        (spanLowest, spanCount, spans, surplus) = (.max, 0, 0, 0)
        (lastLowest, average, reference) = (nil, nil, nil)
        if !ranEmptyInSound { floor = max(floor - tolerance, levels.lowerBound) }
        ranEmptyInSound = false
    }

    /// The number of samples, more than usual, that are to wait before a sound begins: more after each time
    /// that the queue ran empty.
    var headStart: Int { Int(floor - levels.lowerBound) }

    /// The server had nothing to play.
    mutating func ranEmpty() {
        ranEmptyInSound = true
        floor = min(floor + levels.lowerBound, levels.upperBound)
        reference = reference.map { max($0, floor) }
    }

    /// Returns the treatment of a block of so many samples, without which `level` samples wait.
    mutating func adjustment(level: Int, adding count: Int) -> Adjustment {
        if surplus <= 0 {
            spanLowest = min(spanLowest, level)
            spanCount += count
            if spanCount >= span { endSpan() }
        }
        if surplus > 0 {
            surplus -= count
            return .omit
        }
        guard let average, let reference else { return .none }
        if average > reference + tolerance { return .shorten }
        if average < reference - tolerance { return .lengthen }
        return .none
    }

    private mutating func endSpan() {
        let lowest = spanLowest
        (spanLowest, spanCount) = (.max, 0)
        // Two spans in a row: a server that waits for more must be written to before it plays.
        if let lastLowest, min(lastLowest, lowest) > limit {
            surplus = min(lastLowest, lowest) - Int(reference ?? levels.upperBound)
            (self.lastLowest, average) = (nil, reference)
            return
        }
        lastLowest = lowest
        let before = average ?? Double(lowest)
        let average = before + (Double(lowest) - before) / Double(Self.spansInAverage)
        self.average = average
        spans += 1
        // The level at which the server began to play, after the unrest of the start.
        if reference == nil, spans >= Self.spansInAverage {
            reference = min(max(average, floor), levels.upperBound)
        }
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
