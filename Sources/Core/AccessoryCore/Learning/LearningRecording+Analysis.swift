import PTTMessages

extension LearningRecording {
    /// Finds the one way to read the recording, and checks it with the decoders that will be used. Throws if
    /// no reading or more than one explains the recording. `transport`: how the input device is attached, for
    /// keys.
    package func learned(transport: InputTransport? = nil) throws(LearningFailure) -> LearnedInput {
        var learned = try reading()
        // A connected accessory has one kind of input, and its decoder must not read more than was understood
        // here.
        try learned.pattern.check(learned.input.presses(in: frames), against: steps)
        let kind: LearningFact =
            switch (learned.pattern, transport) {
            case (.held, .jack), (.releasedByItself, .jack): .shortsMicrophone
            case (.held, _): .holds
            case (.releasedByItself, _): .releasedByItself
            case (.tapped, _): .sendsNoRelease
            }
        learned.facts.insert(kind, at: 0)
        learned.gesture = GestureSettings(
            mode: kind == .holds ? .hold : .toggle,
            releaseAfter: learned.input.hasPairedKeys ? .seconds(60) : nil
        )
        let definition = AccessoryDefinition(
            identifier: "learned",
            name: "learned",
            confidence: .learned,
            match: AccessoryMatch(),
            input: learned.input,
            gesture: learned.gesture
        )
        try check(definition)
        return learned
    }

    private func reading() throws(LearningFailure) -> LearnedInput {
        var keys: [LearningTimeline.Entry] = []
        var values: [LearningTimeline.Entry] = []
        var hasSerial = false
        for frame in frames {
            switch frame.content {
            case .notified(let value, let attribute):
                let symbol = LearningSymbol(source: .characteristic(attribute), value: value)
                values.append(LearningTimeline.Entry(time: frame.time, symbol: symbol))
            case .key(let code, let isPressed):
                let symbol = isPressed ? LearningSymbol.pressed(code) : .released(code)
                keys.append(LearningTimeline.Entry(time: frame.time, symbol: symbol))
            case .received: hasSerial = true
            }
        }
        var failures: [LearningFailure] = []
        do throws(LearningFailure) {
            if hasSerial { return try serialReading() }
        } catch { failures.append(error) }
        do throws(LearningFailure) {
            if !values.isEmpty { return try timeline(values).gattReading() }
        } catch { failures.append(error) }
        do throws(LearningFailure) {
            if !keys.isEmpty { return try timeline(keys).keyReading() }
        } catch { failures.append(error) }
        throw failures.min { $0.rank < $1.rank } ?? .silent
    }

    private func timeline(_ entries: [LearningTimeline.Entry]) -> LearningTimeline {
        LearningTimeline(entries: entries, steps: steps, recorded: ended - began)
    }
}

extension LearningFailure {
    /// The smaller, the more it says about the accessory.
    var rank: Int {
        switch self {
        case .flood: 0
        case .notVerified: 1
        case .inverted: 2
        case .sameForBoth: 3
        case .unclearValue, .mayChange, .inParts, .severalKeys: 4
        case .shortPulses: 5
        case .contact: 6
        case .unaskedPress: 7
        case .releaseNotSeen, .pressNotSeen, .twoPressesNotSeen: 8
        case .noise: 9
        case .onlyReleases: 10
        case .contradiction: 11
        case .changing: 12
        case .silent: 13
        }
    }
}

extension AccessoryInput {
    /// True if another key reports the release, which may be lost alone.
    fileprivate var hasPairedKeys: Bool {
        guard case .keys(let input) = self else { return false }
        return input.meanings.values.contains { if case .up = $0 { true } else { false } }
    }
}
