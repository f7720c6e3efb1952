import AccessoryCore
import PTTMessages
import TestSupport
import Testing

/// Every sequence of four events and a million random ones, against ``AccessoryOracle``.
@Suite struct ContractTests {
    @Test(arguments: Subject.all) func `no sequence of four events breaks the contract`(_ subject: Subject) {
        for start in subject.starts {
            var steps = 0
            let violation = explore(start, subject.steps, depth: 4, past: [], steps: &steps)
            #expect(violation == nil)
            #expect(steps > 10_000)
        }
    }

    @Test(arguments: Subject.all) func `no random events break the contract`(_ subject: Subject) {
        var random = SplitMix(state: 1)
        var run = subject.starts[1]
        var past: [(pause: Int, step: AccessoryOracle.Step)] = []
        for count in 0..<(1_000_000 / Subject.all.count) {
            // As often as not something that it sends.
            let steps = Bool.random(using: &random) ? subject.steps : subject.frames
            let step = steps[Int.random(in: 0..<steps.count, using: &random)]
            let pause = [1, 15, 200, 700, 6000][Int.random(in: 0..<5, using: &random)]
            past.append((pause, step))
            if let violation = run.take(step, after: .milliseconds(pause)) {
                let trace = past.map { "\($0.pause) ms: \($0.step)" }.joined(separator: "\n")
                Issue.record("\(violation), after \(trace)")
                return
            }
            // It stays connected as long as it takes to press.
            if count.isMultiple(of: 40) {
                run = subject.starts[1]
                past = []
            }
        }
    }

    /// The pause between two events is that of a tap, and long enough for two toggles.
    private func explore(
        _ run: Run,
        _ alphabet: [AccessoryOracle.Step],
        depth: Int,
        past: [AccessoryOracle.Step],
        steps: inout Int
    ) -> String? {
        for step in alphabet {
            var next = run
            steps += 1
            let past = past + [step]
            if let violation = next.take(step, after: .milliseconds(280)) {
                return "\(violation), after: \(past)"
            }
            guard depth > 1 else { continue }
            if let violation = explore(next, alphabet, depth: depth - 1, past: past, steps: &steps) {
                return violation
            }
        }
        return nil
    }
}

struct Run {
    var accessory: Accessory
    var oracle: AccessoryOracle
    var now = MonotonicTime(nanoseconds: 0)

    mutating func take(_ step: AccessoryOracle.Step, after pause: Duration) -> String? {
        now = now + pause
        let effects = accessory.handle(oracle.event(of: step), at: now)
        return oracle.check(step, effects, at: now)
    }
}
