import PTTMessages

extension LearningTimeline {
    /// Reads keys of an input device.
    func keyReading() throws(LearningFailure) -> LearnedInput {
        let codes = sources.compactMap { if case .key(let code) = $0 { code } else { nil } }
        guard codes.count <= Self.mostValues else { throw .changing }
        if hasContactNoise { throw .contact }
        for pattern in [PressPattern.held, .releasedByItself] {
            let fitting = pressCandidates.compactMap { symbol -> UInt16? in
                guard case .key(let code) = symbol.source, symbol == .pressed(code),
                    fits(pattern, presses(down: [symbol], up: [.released(code)]))
                else { return nil }
                return code
            }
            guard let code = fitting.first else { continue }
            if fitting.count > 1 { throw .severalKeys(fitting) }
            return keys([code: .button(.talk)], pattern, [.press(keyText(code)), .release("the same key")])
        }
        if let paired = pairedKeys(codes) { return paired }
        for code in codes {
            guard try areTaps([.pressed(code)]) else { continue }
            return keys([code: .tap(.talk)], .tapped, [.press(keyText(code))])
        }
        if let alternating = try alternatingKeys(codes) { return alternating }
        throw sources.map { only($0).diagnosis() }.min { $0.rank < $1.rank } ?? .silent
    }

    private func keys(
        _ meanings: [UInt16: KeyInput.Meaning],
        _ pattern: PressPattern,
        _ facts: [LearningFact]
    ) -> LearnedInput {
        LearnedInput(input: .keys(KeyInput(meanings: meanings)), pattern: pattern, facts: facts)
    }

    /// A key that reports the press, and another one that reports the release.
    private func pairedKeys(_ codes: [UInt16]) -> LearnedInput? {
        for down in codes {
            for up in codes where up != down {
                guard fits(.held, presses(down: [.pressed(down)], up: [.pressed(up)])) else { continue }
                let facts: [LearningFact] = [.press(keyText(down)), .release(keyText(up))]
                return keys([down: .down(.talk), up: .up(.talk)], .held, facts)
            }
        }
        return nil
    }

    /// Two keys that take turns, as a headset's play and pause do.
    private func alternatingKeys(_ codes: [UInt16]) throws(LearningFailure) -> LearnedInput? {
        for (index, first) in codes.enumerated() {
            for second in codes.dropFirst(index + 1) {
                let down: Set = [LearningSymbol.pressed(first), .pressed(second)]
                let sequence = entries.map(\.symbol).filter { down.contains($0) }
                guard zip(sequence, sequence.dropFirst()).allSatisfy({ $0 != $1 }) else { continue }
                let up: Set = [LearningSymbol.released(first), .released(second)]
                let names = "\(keyText(first)) and \(keyText(second))"
                let facts: [LearningFact] = [.press(names), .alternatingKeys]
                for pattern in [PressPattern.held, .releasedByItself]
                where fits(pattern, presses(down: down, up: up)) {
                    return keys([first: .button(.talk), second: .button(.talk)], pattern, facts)
                }
                guard try areTaps(down) else { continue }
                return keys([first: .tap(.talk), second: .tap(.talk)], .tapped, facts)
            }
        }
        return nil
    }

    /// Presses of a few milliseconds before the first request.
    private var hasContactNoise: Bool {
        guard let step = steps.first else { return false }
        return zip(entries, entries.dropFirst()).contains { first, second in
            guard case .key(let code) = first.symbol.source, first.symbol == .pressed(code) else {
                return false
            }
            return second.symbol == .released(code) && second.time - first.time < .milliseconds(5)
                && first.time < step.press.lowerBound
        }
    }
}
