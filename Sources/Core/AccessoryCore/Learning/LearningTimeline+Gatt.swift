import PTTMessages

extension LearningTimeline {
    /// Reads notifications of characteristics. One characteristic that reports both edges is preferred, the
    /// fastest of several: a second one whose reports are late would begin again after a short press.
    func gattReading() throws(LearningFailure) -> LearnedInput {
        var readings: [(attribute: GattAttribute, value: ValueReading)] = []
        for source in sources {
            guard case .characteristic(let attribute) = source else { continue }
            // One that is not understood fails all: a mirror of it may have the same values, but more seldom.
            if let value = try only(source).reading() {
                readings.append((attribute, value))
            }
        }
        let fastest = pressCandidates
        let order = { (press: LearningSymbol) in fastest.firstIndex(of: press) ?? fastest.count }
        if let best = readings.min(by: { order($0.value.press) < order($1.value.press) }) {
            let mirrored = readings.filter { $0.attribute != best.attribute }
            let input = GattInput(attribute: best.attribute, decoder: best.value.decoder)
            try checkIsWhole([input])
            return LearnedInput(
                input: .gatt([input]),
                pattern: .held,
                facts: best.value.facts + mirrored.map { .mirrored("\($0.attribute.characteristic)") }
            )
        }
        if let split = try splitReading() { return split }
        var failure: LearningFailure?
        for press in pressCandidates {
            guard case .characteristic(let attribute) = press.source, !press.isZero else { continue }
            do throws(LearningFailure) {
                guard try areTaps([press]) else { continue }
                // A press that is not recognised would not stop what an earlier one began.
                guard press.value.isLasting else { throw .mayChange(press.value) }
                let pattern = BytePattern(press.value, [.tap(.talk)], isWhole: true)
                let input = GattInput(attribute: attribute, decoder: .bytes([pattern]))
                try checkIsWhole([input])
                return LearnedInput(
                    input: .gatt([input]),
                    pattern: .tapped,
                    facts: [.press(press.value.hexadecimal)]
                )
            } catch { failure = failure ?? error }
        }
        throw failure ?? sources.map { only($0).diagnosis() }.min { $0.rank < $1.rank } ?? .silent
    }

    /// A press on one characteristic and its release on another.
    private func splitReading() throws(LearningFailure) -> LearnedInput? {
        for press in pressCandidates where !press.isZero {
            for release in releaseCandidates where release.source != press.source {
                guard case .characteristic(let first) = press.source,
                    case .characteristic(let second) = release.source,
                    fits(.held, presses(down: [press], up: [release]))
                else { continue }
                let down = BytePattern(press.value, [.down(.talk)], isWhole: true)
                let up = BytePattern(release.value, [.up(.talk)], isWhole: true)
                let inputs = [
                    GattInput(attribute: first, decoder: .bytes([down])),
                    GattInput(attribute: second, decoder: .bytes([up])),
                ]
                try checkIsWhole(inputs)
                return LearnedInput(
                    input: .gatt(inputs),
                    pattern: .held,
                    facts: [.press(press.value.hexadecimal), .release(release.value.hexadecimal)]
                )
            }
        }
        return nil
    }

    /// Reads one characteristic as a bit, as values or as text; nil if it does not report the button.
    private func reading() throws(LearningFailure) -> ValueReading? {
        var reading: ValueReading?
        if symbols.count <= Self.mostValues {
            reading = try bitReading()
            if reading == nil { reading = try valueReading() }
            if reading == nil { reading = try textReading() }
        }
        if reading == nil { reading = try freeReading() }
        return reading
    }

    /// Reads texts whose padding is not always the same.
    private func textReading() throws(LearningFailure) -> ValueReading? {
        let stripped = TextPadding.present(in: symbols.map(\.value))
        guard !stripped.isEmpty, symbols.allSatisfy({ TextPadding.isText($0.value) }) else { return nil }
        let text = with(
            entries.map { entry in
                let value = entry.symbol.value.filter { !stripped.contains($0) }
                let symbol = LearningSymbol(source: entry.symbol.source, value: value)
                return Entry(time: entry.time, symbol: symbol)
            }
        )
        guard let (press, release) = text.pair(), !press.value.isEmpty, !release.value.isEmpty else {
            return nil
        }
        let table = try TokenTable(
            press: press.value,
            release: release.value,
            stripped: stripped,
            hasOthers: text.symbols.contains { $0 != press && $0 != release && !$0.value.isEmpty }
        )
        return ValueReading(
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

    /// A press may be sent in parts, of which only the other one says which button it is.
    ///
    /// - Throws: If most presses have something beside them that the input does not read. Zeros say nothing
    ///   of a button, and the same value on another characteristic says nothing else.
    private func checkIsWhole(_ inputs: [GattInput]) throws(LearningFailure) {
        let frames = entries.compactMap { entry -> LearningFrame? in
            guard case .characteristic(let attribute) = entry.symbol.source else { return nil }
            return LearningFrame(time: entry.time, content: .notified(entry.symbol.value, attribute))
        }
        let presses = AccessoryInput.gatt(inputs).presses(in: frames).filter { $0.event != .up }.map(\.time)
        let own = Set(entries.filter { presses.contains($0.time) && isOf(inputs, $0.symbol) }.map(\.symbol))
        let values = Set(own.map(\.value))
        for symbol in symbols where !own.contains(symbol) && !symbol.isZero {
            if !isOf(inputs, symbol), values.contains(symbol.value) { continue }
            let times = entries.filter { $0.symbol == symbol }.map(\.time)
            let count = presses.count { press in
                times.contains { (.zero - Self.together...Self.together).contains($0 - press) }
            }
            if count * 2 > presses.count { throw .inParts(symbol.value) }
        }
    }

    private func isOf(_ inputs: [GattInput], _ symbol: LearningSymbol) -> Bool {
        inputs.contains { symbol.source == .characteristic($0.attribute) }
    }
}
