import AccessoryCore
import PTTMessages

/// The result of learning a button, and what is wrong with it when the button is pressed again.
struct LearningOutcome {
    private(set) var learned: LearnedInput?
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
            mistakes = Self.mistakes(of: learned, session, expected: button.pattern, seen: seen)
        }
    }

    /// Compares what the decoders read from fresh presses with the physical ones: press is begin, release is end, and
    /// nothing else is either. Only a value that the recording does not have may end early; it never begins.
    private static func mistakes(
        of learned: LearnedInput,
        _ session: LearningSession,
        expected: SimulatedButton.Expected,
        seen: Set<LearningFrame.Content>
    ) -> [String] {
        let pattern = pattern(of: learned)
        guard pattern == expected else { return ["\(pattern) instead of \(expected)"] }
        let limit = Duration.milliseconds(400)
        var mistakes: [String] = []
        var events = learned.input.presses(in: session.frames)[...]
        for (press, release) in session.presses {
            guard let first = events.popFirst(), first.time >= press, first.time - press < limit else {
                return mistakes + ["no press at \(press)"]
            }
            guard pattern != .tapped else { continue }
            guard let second = events.popFirst(), second.event == .up else {
                return mistakes + ["no release at \(release)"]
            }
            let isEarly = second.time < release && pattern == .held
            let cause = session.frames.first { $0.time == second.time }
            let isUnseen = cause.map { !seen.contains($0.content) } ?? false
            if second.time - release >= limit || isEarly && !isUnseen {
                mistakes.append("release at \(second.time), not \(release)")
            }
        }
        return mistakes + events.map { "\($0.event) at \($0.time)" }
    }

    private static func pattern(of learned: LearnedInput) -> SimulatedButton.Expected {
        if learned.gesture.mode == .hold { return .held }
        return learned.facts.contains(.releasedByItself) ? .releasedByItself : .tapped
    }
}
