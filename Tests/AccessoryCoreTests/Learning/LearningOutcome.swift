import AccessoryCore
import AccessoryFiles
import PTTMessages
import TOML

/// The result of learning a button, and what is wrong with it when the button is pressed again.
struct LearningOutcome {
    private(set) var learned: LearnedInput?
    private(set) var definition: AccessoryDefinition?
    private(set) var failure: LearningFailure?
    private(set) var mistakes: [String] = []

    init(_ button: SimulatedButton, _ person: SimulatedPerson, seed: UInt64) {
        var session = LearningSession(button, person, seed: seed)
        switch session.run() {
        case .failure(let error): failure = error
        case .success((let learned, let recording)):
            self.learned = learned
            session.pressAgain(8)
            let seen = Set(recording.frames.map(\.content))
            let written = learned.definition(
                identifier: "learned",
                for: DeviceDescription(
                    name: "A",
                    link: .bluetooth(address: "AA:BB:CC:DD:EE:FF", services: [])
                ),
                from: recording
            )
            do throws(TOMLError) {
                let definition = try AccessoryDefinition(toml: written.fileText, identifier: "learned")
                self.definition = definition
                mistakes =
                    definition.failedExamples().map { "step \($0.step + 1): \($0.outcomes)" }
                    + Self.mistakes(
                        of: definition,
                        learned,
                        session,
                        expected: button.pattern,
                        seen: seen
                    )
            } catch {
                mistakes = ["\(error)"]
            }
        }
    }

    /// Compares what the machine of accessories does with fresh presses with the physical ones: press is
    /// begin, release is end, and nothing else is either. Only a value that the recording does not have may
    /// end early; it never begins.
    private static func mistakes(
        of definition: AccessoryDefinition,
        _ learned: LearnedInput,
        _ session: LearningSession,
        expected: SimulatedButton.Expected,
        seen: Set<LearningFrame.Content>
    ) -> [String] {
        let pattern = pattern(of: learned)
        guard pattern == expected else { return ["\(pattern) instead of \(expected)"] }
        let limit = Duration.milliseconds(400)
        var mistakes: [String] = []
        var events = outcomes(of: definition, session.frames)[...]
        for (press, release) in session.presses {
            guard let first = events.popFirst(), first.time >= press, first.time - press < limit else {
                return mistakes + ["no press at \(press)"]
            }
            guard pattern == .held else { continue }
            guard first.outcome == .begin(.talk), let second = events.popFirst(),
                second.outcome == .end(.talk)
            else { return mistakes + ["no release at \(release)"] }
            let cause = session.frames.first { $0.time == second.time }
            let isUnseen = cause.map { !seen.contains($0.content) } ?? false
            if second.time - release >= limit || second.time < release && !isUnseen {
                mistakes.append("release at \(second.time), not \(release)")
            }
        }
        return mistakes + events.map { "\($0.outcome) at \($0.time)" }
    }

    private static func outcomes(of definition: AccessoryDefinition, _ frames: [LearningFrame])
        -> [(outcome: ExampleRun.Outcome, time: MonotonicTime)]
    {
        guard let first = frames.first else { return [] }
        var run = ExampleRun(definition, from: first.time)
        return frames.flatMap { frame in
            let outcomes = definition.input.action(of: frame).map { run.perform($0, at: frame.time) } ?? []
            return outcomes.map { ($0, frame.time) }
        }
    }

    private static func pattern(of learned: LearnedInput) -> SimulatedButton.Expected {
        if learned.gesture.mode == .hold { return .held }
        return learned.facts.contains(.releasedByItself) ? .releasedByItself : .tapped
    }
}
