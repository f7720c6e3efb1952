import PTTCore
import PTTMessages
import TestSupport
import Testing

@Suite struct ModelTests {
    /// 100 sequences of 1000 events each, four times. A failure names its seed; `PTT_SEED` runs it again, as
    /// the first.
    @Test(arguments: 0..<4)
    func `a long sequence of random events leads to what the model says`(_ part: Int) {
        var random = SplitMix.ofThisRun(part: part)
        var counts = Model.Counts()
        for run in 0..<100 {
            switch RandomSequence.run(&random) {
            case .success(let model):
                counts.transmissions += model.counts.transmissions
                counts.pushes += model.counts.pushes
                counts.starts += model.counts.starts
                counts.playbacks += model.counts.playbacks
            case .failure(let fault):
                Issue.record("PTT_SEED=\(random.seed), sequence \(run):\n\(fault.sequence.shrunk().trace)")
                return
            }
        }
        // Far fewer than any seed has shown.
        #expect(counts.transmissions > 500, "the events lead nowhere")
        #expect(counts.pushes > 500, "the events lead nowhere")
        #expect(counts.starts > 75, "the events lead nowhere")
        #expect(counts.playbacks > 100, "the events lead nowhere")
    }

    @Test(arguments: InitialState.allCases)
    func `any two events from any state lead to what the model says`(_ initialState: InitialState) {
        let past = initialState.sequence
        var comparison = past.start
        #expect(past.steps.allSatisfy { EventSequence.run($0, &comparison) == nil }, "\(past.shrunk().trace)")
        for first in TestEvents.events {
            // While a release lags.
            let time = initialState.end + .milliseconds(100)
            var comparison = comparison
            var sequence = past
            sequence.steps.append(.init(time: time, event: first))
            if EventSequence.run(sequence.steps[sequence.steps.count - 1], &comparison) != nil {
                Issue.record("\(sequence.shrunk().trace)")
                return
            }
            for event in TestEvents.fewer {
                var comparison = comparison
                let step = EventSequence.Step(time: time + .milliseconds(100), event: event)
                guard EventSequence.run(step, &comparison) != nil else { continue }
                sequence.steps.append(step)
                Issue.record("\(sequence.shrunk().trace)")
                return
            }
        }
    }
}
