import Foundation
import PTTCore
import PTTMessages
import Testing

@Suite struct ModelTests {
    /// 100 lives of the core with 1000 events each, four times. A failure names its seed; `PTT_SEED` runs it again.
    @Test(arguments: 0..<4)
    func `a long life of random events goes as the model says`(_ part: Int) {
        let given = ProcessInfo.processInfo.environment["PTT_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: .min ... .max)
        print("PTT_SEED=\(seed)")
        var random = SplitMix(state: seed)
        var counts = Model.Counts()
        for run in 0..<100 {
            switch Chance.live(&random) {
            case .success(let model):
                counts.transmissions += model.counts.transmissions
                counts.pushes += model.counts.pushes
                counts.starts += model.counts.starts
                counts.playbacks += model.counts.playbacks
            case .failure(let fault):
                Issue.record("PTT_SEED=\(seed), life \(run):\n\(fault.life.shrunk().trace)")
                return
            }
        }
        #expect(counts.transmissions > 1000, "the events lead nowhere")
        #expect(counts.pushes > 1000, "the events lead nowhere")
        #expect(counts.starts > 150, "the events lead nowhere")
        #expect(counts.playbacks > 250, "the events lead nowhere")
    }

    @Test(arguments: Situation.allCases)
    func `any two events from any state go as the model says`(_ situation: Situation) {
        let past = situation.life
        var trial = Trial()
        #expect(past.steps.allSatisfy { Life.run($0, &trial) == nil }, "\(past.shrunk().trace)")
        for first in Alphabet.events {
            let second = situation.second + 1
            var trial = trial
            var life = past
            life.steps.append(.init(second: second, event: first))
            if Life.run(life.steps[life.steps.count - 1], &trial) != nil {
                Issue.record("\(life.shrunk().trace)")
                return
            }
            for event in Alphabet.fewer {
                var trial = trial
                let step = Life.Step(second: second + 1, event: event)
                guard Life.run(step, &trial) != nil else { continue }
                life.steps.append(step)
                Issue.record("\(life.shrunk().trace)")
                return
            }
        }
    }
}
