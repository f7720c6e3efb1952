import PTTCore
import PTTMessages

/// Events with their times. The timers that the core sets fire in between.
struct EventSequence {
    struct Step {
        let time: MonotonicTime
        let event: TalkSession.Event
    }

    let whileLocked: TalkSession.WhileLocked
    let releaseLag: Duration
    var isSessionKnown = true
    var steps: [Step] = []

    /// Runs one step, after the timers that fire before it. Returns the first difference.
    static func run(_ step: Step, _ comparison: inout ModelComparison) -> String? {
        while let time = comparison.timer(before: step.time) {
            if let difference = comparison.run(.timerFired, at: time) { return difference }
        }
        return comparison.run(step.event, at: step.time)
    }

    /// Before the first step.
    var start: ModelComparison {
        ModelComparison(whileLocked: whileLocked, releaseLag: releaseLag, isSessionKnown: isSessionKnown)
    }

    private var isBroken: Bool {
        var comparison = start
        return steps.contains { Self.run($0, &comparison) != nil }
    }

    /// A sequence with a fault, the same or another one, from which no step can be removed.
    func shrunk() -> EventSequence {
        var sequence = self
        var size = max(steps.count / 2, 1)
        while true {
            var start = 0
            while start < sequence.steps.count {
                var shorter = sequence
                shorter.steps.removeSubrange(start..<min(start + size, sequence.steps.count))
                if shorter.isBroken { sequence = shorter } else { start += size }
            }
            if size == 1 { return sequence }
            size /= 2
        }
    }

    /// In the format of a scenario file, up to the fault.
    var trace: String {
        var comparison = start
        var lines = [
            "whileLocked \(whileLocked.rawValue)", "limit \(MonotonicTime.seconds(0) + Model.timeLimit)",
            "lag \(MonotonicTime.seconds(0) + releaseLag)",
        ]
        if !isSessionKnown { lines.append("sessionUnknown") }
        for step in steps {
            while let time = comparison.timer(before: step.time) {
                let difference = comparison.run(.timerFired, at: time)
                lines += Self.lines(.timerFired, at: time, comparison)
                if let difference { return (lines + ["! \(difference)"]).joined(separator: "\n") }
            }
            let difference = comparison.run(step.event, at: step.time)
            lines += Self.lines(step.event, at: step.time, comparison)
            if let difference { return (lines + ["! \(difference)"]).joined(separator: "\n") }
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(
        _ event: TalkSession.Event,
        at time: MonotonicTime,
        _ comparison: ModelComparison
    ) -> [String] {
        ["\(time) \(event)"] + comparison.effects.map { "  \(time) \($0)" }
    }
}

extension Model.Notification: CustomStringConvertible {
    var description: String {
        switch self {
        case .kind(let kind): kind
        case .joined(let reason): "channelJoined \(reason.rawValue)"
        case .left(let reason): "channelLeft \(reason.rawValue)"
        case .ended(let cause, by: let source): "transmissionEnded \(cause.rawValue) by \(source.rawValue)"
        case .refused(let reason): "transmissionRefused \(reason)"
        case .interrupted(let interruption): "audioInterrupted \(interruption.rawValue)"
        case .finished(let push, let outcome): "pushFinished \(push) \(outcome.rawValue)"
        case .only(let client, let kind): "\(kind) to client \(client.rawValue)"
        }
    }
}
