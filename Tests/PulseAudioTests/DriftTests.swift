import Foundation
import Testing

@testable import PulseAudio

/// A microphone whose clock differs from that of the sink, as values.
@Suite struct DriftTests {
    /// A queue between two clocks, in samples: a block of 5 ms arrives in each step, late by up to 3 ms, and
    /// the sink requests 10 ms at once, or more.
    private struct Queue {
        let drift: Double
        let request: Int
        private(set) var level = 600
        private(set) var underruns = 0
        private var arrived = 0.0
        private var played = 0
        private var corrector = DriftCorrector(rate: 48_000)
        private var random: UInt32 = 1

        init(partsPerMillion: Double, request: Int = 480) {
            drift = partsPerMillion / 1_000_000
            self.request = request
        }

        /// - Returns: The adjustment of the block.
        mutating func step(_ number: Int) -> DriftCorrector.Adjustment {
            random = random &* 1_664_525 &+ 1_013_904_223
            let jitter = Double(random >> 24) * 144 / 256
            // By the clock of the sink.
            // The microphone delivers whole requests of its own, of the same length.
            let captured = (number * 240 + request - 1) / request * request
            let now = Double(request > 480 ? captured : number * 240) / (1 + drift) + jitter
            while Double(played + request) <= now {
                played += request
                // PipeWire plays nothing at all if there is too little.
                if level < request { underruns += 1 } else { level -= request }
            }
            let adjustment = corrector.adjustment(level: level, adding: 240)
            switch adjustment {
            case .none: level += 240
            case .lengthen: level += 241
            case .shorten: level += 239
            case .omit: break
            }
            return adjustment
        }

        mutating func stall(samples: Int) { level += samples }
    }

    @Test(arguments: [-200.0, -20, 0, 20, 200])
    func `over an hour the delay stays where it was, and nothing is left out`(partsPerMillion: Double) {
        var queue = Queue(partsPerMillion: partsPerMillion)
        var levels = 0...0
        for number in 0..<720_000 {
            #expect(queue.step(number) != .omit)
            if number == 2000 { levels = queue.level...queue.level }
            if number > 2000 {
                levels = min(levels.lowerBound, queue.level)...max(levels.upperBound, queue.level)
            }
        }
        #expect(queue.underruns == 0)
        // 10 ms are the requests of the sink and 3 ms those of the arrival.
        #expect(levels.count < 48 * 18, "\(levels)")
        #expect(levels.upperBound < 48 * 30)
    }

    @Test(arguments: [1024, 2048], [-200.0, 0, 200])
    func `a server that requests much at once is not left without sound`(
        request: Int,
        partsPerMillion: Double
    ) {
        var queue = Queue(partsPerMillion: partsPerMillion, request: request)
        var underruns = 0
        for number in 0..<72_000 {
            _ = queue.step(number)
            // Until there is enough for the first time.
            if number == 400 { underruns = queue.underruns }
        }
        // In six minutes the requests of two clocks pass each other several times.
        #expect(queue.underruns - underruns <= (partsPerMillion == 0 ? 0 : 8))
        #expect(queue.level < request * 2)
    }

    @Test func `what arrives at once after a stall is left out, until the delay is as before`() {
        var queue = Queue(partsPerMillion: 0)
        for number in 0..<2000 { _ = queue.step(number) }
        queue.stall(samples: 14_400)
        var omitted = 0
        for number in 2000..<4000 where queue.step(number) == .omit { omitted += 1 }
        #expect((50...65).contains(omitted))
        #expect(queue.level < 48 * 25)
    }

    @Test func `each time that the queue runs empty later sounds wait 5 ms more, and then each one less`() {
        var corrector = DriftCorrector(rate: 48_000)
        #expect(corrector.headStart == 0)
        for number in 1...30 {
            corrector.ranEmpty()
            corrector.begin()
            #expect(corrector.headStart == 48 * min(number * 5, 15))
        }
        for number in 1...20 {
            corrector.begin()
            #expect(corrector.headStart == 48 * max(15 - number, 0))
        }
    }

    @Test func `a server that waits for more is written to again`() {
        var corrector = DriftCorrector(rate: 48_000)
        for _ in 0..<400 { _ = corrector.adjustment(level: 200, adding: 240) }
        var adjustments: [DriftCorrector.Adjustment] = []
        // A stall, and then a level that never falls.
        for level in Array(repeating: 2000, count: 50) + Array(repeating: 400, count: 50) {
            adjustments.append(corrector.adjustment(level: level, adding: 240))
        }
        #expect(adjustments.prefix(50).contains(.omit) && !adjustments.suffix(40).contains(.omit))
    }

    @Test(arguments: [239, 241])
    func `a stretched block has no step, and keeps its ends`(count: Int) {
        let tone = (0..<240 * 400).map { Int16(10_000 * sin(Double($0) * 440 * 2 * .pi / 48_000)) }
        let steepest = zip(tone, tone.dropFirst()).map { abs(Int($1) - Int($0)) }.max() ?? 0
        var output: [Int16] = []
        for start in stride(from: 0, to: tone.count, by: 240) {
            tone[start..<start + 240].withUnsafeBufferPointer { block in
                let stretched = SampleBlock.stretched(block, to: count)
                #expect(
                    stretched.count == count && stretched.first == block.first && stretched.last == block.last
                )
                output += stretched
            }
        }
        let steps = zip(output, output.dropFirst()).map { abs(Int($1) - Int($0)) }
        #expect((steps.max() ?? 0) <= steepest + 4)
    }

    @Test func `a cross-fade begins as one block and ends as the other`() {
        let first = [Int16](repeating: 8000, count: 240)
        let second = [Int16](repeating: -8000, count: 240)
        let faded = second.withUnsafeBufferPointer { SampleBlock.crossFaded(first, $0) }
        #expect(faded.count == 240 && faded[0] > 7900 && faded[239] == -8000)
        #expect(zip(faded, faded.dropFirst()).allSatisfy { abs(Int($1) - Int($0)) <= 68 })
    }
}
