import PTTMessages

/// How one characteristic reports the button, as far as it is known.
private struct CharacteristicReading {
    let attribute: GattAttribute
    let decoder: FrameDecoder
    let press: LearningSymbol
    let facts: [LearningFact]
}

extension LearningTimeline {
    /// Reads notifications of characteristics. One characteristic that reports both edges is preferred, the fastest of
    /// several: a second one whose reports are late would begin again after a short press.
    func gattHypothesis(began: MonotonicTime, ended: MonotonicTime) throws(LearningFailure)
        -> LearningHypothesis
    {
        var readings: [CharacteristicReading] = []
        for source in sources {
            guard case .characteristic(let attribute) = source else { continue }
            // One that is not understood fails all: a mirror of it may have the same values, but more seldom.
            if let reading = try only(source).reading(of: attribute, began: began, ended: ended) {
                readings.append(reading)
            }
        }
        let fastest = pressCandidates
        let order = { (reading: CharacteristicReading) in
            fastest.firstIndex(of: reading.press) ?? fastest.count
        }
        if let best = readings.min(by: { order($0) < order($1) }) {
            let mirrored = readings.filter { $0.attribute != best.attribute }
            return LearningHypothesis(
                input: .gatt([GattInput(best.attribute, best.decoder)]),
                pattern: .held,
                facts: best.facts + mirrored.map { .mirrored("\($0.attribute.characteristic)") }
            )
        }
        if let split = splitHypothesis() { return split }
        var failure: LearningFailure?
        for press in pressCandidates {
            guard case .characteristic(let attribute) = press.source, !press.isZero else { continue }
            do throws(LearningFailure) {
                guard let facts = try tapFacts(press) else { continue }
                return LearningHypothesis(
                    input: .gatt([GattInput(attribute, .bytes([BytePattern(press.value, [.tap(.talk)])]))]),
                    pattern: .tapped,
                    facts: [.press(press.value.hexadecimal)] + facts
                )
            } catch { failure = failure ?? error }
        }
        throw failure ?? sources.map { only($0).diagnosis() }.min { $0.rank < $1.rank } ?? .silent
    }

    /// A press on one characteristic and its release on another.
    private func splitHypothesis() -> LearningHypothesis? {
        for press in pressCandidates where !press.isZero {
            for release in releaseCandidates where release.source != press.source {
                guard case .characteristic(let first) = press.source,
                    case .characteristic(let second) = release.source,
                    fits(.held, presses(down: [press], up: [release]))
                else { continue }
                return LearningHypothesis(
                    input: .gatt([
                        GattInput(first, .bytes([BytePattern(press.value, [.down(.talk)])])),
                        GattInput(second, .bytes([BytePattern(release.value, [.up(.talk)])])),
                    ]),
                    pattern: .held,
                    facts: [.press(press.value.hexadecimal), .release(release.value.hexadecimal)]
                )
            }
        }
        return nil
    }

    /// Reads one characteristic as a bit, as values or as text; nil if it does not report the button.
    private func reading(of attribute: GattAttribute, began: MonotonicTime, ended: MonotonicTime)
        throws(LearningFailure) -> CharacteristicReading?
    {
        guard symbols.count <= Self.mostValues else { return nil }
        if let (table, press, facts) = try bitTable(recorded: ended - began) {
            return CharacteristicReading(
                attribute: attribute,
                decoder: .bits(table),
                press: press,
                facts: facts
            )
        }
        if let (patterns, press, facts) = try bytePatterns(recorded: ended - began) {
            return CharacteristicReading(
                attribute: attribute,
                decoder: .bytes(patterns),
                press: press,
                facts: facts
            )
        }
        let stripped = TextPadding.present(in: symbols.map(\.value))
        guard !stripped.isEmpty, symbols.allSatisfy({ TextPadding.isText($0.value) }) else { return nil }
        let text = LearningTimeline(
            entries: entries.map { entry in
                let value = entry.symbol.value.filter { !stripped.contains($0) }
                let symbol = LearningSymbol(source: entry.symbol.source, value: value)
                return Entry(time: entry.time, symbol: symbol)
            },
            steps: steps
        )
        guard let (press, release) = text.pair(), !press.value.isEmpty, !release.value.isEmpty else {
            return nil
        }
        let table = TokenTable(
            [TokenTable.Token(press.value, [.down(.talk)]), TokenTable.Token(release.value, [.up(.talk)])],
            stripped: stripped
        )
        return CharacteristicReading(
            attribute: attribute,
            decoder: .tokens(table),
            press: symbols.first { $0.value.filter { !stripped.contains($0) } == press.value } ?? press,
            facts: [.press(TextPadding.text(press.value)), .release(TextPadding.text(release.value))]
        )
    }

    /// The value of a press, which is never zero, and that of a release; the fastest ones if several fit.
    func pair() -> (press: LearningSymbol, release: LearningSymbol)? {
        let releases = releaseCandidates
        for press in pressCandidates where !press.isZero {
            for release in releases where release != press {
                if fits(.held, presses(down: [press], up: [release])) { return (press, release) }
            }
        }
        return nil
    }
}

/// What surrounds a text without being a part of it.
enum TextPadding {
    private static let candidates: Set<UInt8> = [0x00, 0x0A, 0x0D]

    static func present(in values: [[UInt8]]) -> Set<UInt8> {
        Set(values.joined()).intersection(candidates)
    }

    static func isText(_ value: [UInt8]) -> Bool {
        value.allSatisfy { (0x20...0x7E).contains($0) || candidates.contains($0) }
    }

    static func text(_ value: [UInt8]) -> String {
        "\u{201C}\(String(decoding: value, as: UTF8.self))\u{201D}"
    }
}
