import PTTCore
import PTTMessages

/// What happens to a core, and when. The timers that it sets fire by themselves.
struct Life {
    struct Step {
        let second: Int
        let event: TalkSession.Event
    }

    let whileLocked: TalkSession.WhileLocked
    var steps: [Step] = []

    /// Runs one step, after the timers that come before it. Gives what is wrong.
    static func run(_ step: Step, _ trial: inout Trial) -> String? {
        while let second = trial.timer(before: step.second) {
            if let difference = trial.run(.timerFired, at: second) { return difference }
        }
        return trial.run(step.event, at: step.second)
    }

    private var isBroken: Bool {
        var trial = Trial(whileLocked: whileLocked)
        return steps.contains { Self.run($0, &trial) != nil }
    }

    /// The same fault, or another one, with as few steps as taking some away can give.
    func shrunk() -> Life {
        var life = self
        var size = max(steps.count / 2, 1)
        while true {
            var start = 0
            while start < life.steps.count {
                var shorter = life
                shorter.steps.removeSubrange(start..<min(start + size, life.steps.count))
                if shorter.isBroken { life = shorter } else { start += size }
            }
            if size == 1 { return life }
            size /= 2
        }
    }

    /// In the words of a scenario file, as far as the fault.
    var trace: String {
        var trial = Trial(whileLocked: whileLocked)
        var lines = ["whileLocked \(whileLocked.rawValue)", "limit \(Model.timeLimit)s"]
        for step in steps {
            while let second = trial.timer(before: step.second) {
                let difference = trial.run(.timerFired, at: second)
                lines += Self.lines(second, .timerFired, trial)
                if let difference { return (lines + ["! \(difference)"]).joined(separator: "\n") }
            }
            let difference = trial.run(step.event, at: step.second)
            lines += Self.lines(step.second, step.event, trial)
            if let difference { return (lines + ["! \(difference)"]).joined(separator: "\n") }
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(_ second: Int, _ event: TalkSession.Event, _ trial: Trial) -> [String] {
        ["\(second)s \(event)"] + trial.effects.map { "  \(second)s \($0)" }
    }
}

extension Model.Told: CustomStringConvertible {
    var description: String {
        switch self {
        case .word(let word): word
        case .joined(let reason): "channelJoined \(reason.rawValue)"
        case .left(let reason): "channelLeft \(reason.rawValue)"
        case .ended(let cause, by: let source): "transmissionEnded \(cause.rawValue) by \(source.rawValue)"
        case .refused(let code): "transmissionRefused \(code.rawValue)"
        case .interrupted(let interruption): "audioInterrupted \(interruption.rawValue)"
        case .finished(let push, let outcome): "pushFinished \(push) \(outcome.rawValue)"
        case .alone(let client, let word): "\(word) to client \(client.rawValue)"
        }
    }
}
