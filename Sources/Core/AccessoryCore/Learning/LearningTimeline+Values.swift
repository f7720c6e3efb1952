import PTTMessages

extension LearningTimeline {
    /// Reads the first byte as one bit for the button and others for a heartbeat.
    ///
    /// - Throws: If it fits, but it is not known what a value means.
    func bitReading() throws(LearningFailure) -> ValueReading? {
        let symbols = self.symbols
        let firsts = symbols.compactMap(\.value.first)
        let isText = symbols.allSatisfy { TextPadding.isText($0.value) && !$0.isZero }
        // Up and down, each with and without the heartbeat.
        guard symbols.count <= 4, !isText, Set(firsts).count == symbols.count,
            Set(symbols.map(\.value.count)).count == 1
        else { return nil }
        let fitting = (0..<8).map { UInt8(1) << $0 }.filter { bit in
            let down = Set(symbols.filter { ($0.value.first ?? 0) & bit != 0 })
            return fits(.held, presses(down: down, up: Set(symbols).subtracting(down)))
        }
        guard fitting.count == 1, let bit = fitting.first else { return nil }
        let down = symbols.filter { ($0.value.first ?? 0) & bit != 0 }
        let up = symbols.filter { ($0.value.first ?? 0) & bit == 0 }
        let changes = presses(down: Set(down), up: Set(up))
        guard let press = usual(down, after: .down, in: changes),
            let release = usual(up, after: .up, in: changes)
        else {
            return nil
        }
        let levels = BitLevels(bit: bit, press: press, release: release)
        guard levels.fit(down: down, up: up),
            try areLevels(levels, down: down, up: up, changes)
        else { return nil }
        let ignored = firsts.reduce(0, |) & ~bit
        let heartbeat = firsts.reduce(0) { $0 | $1 ^ (firsts.first ?? 0) } & ~bit
        let facts: [LearningFact] = heartbeat == 0 ? [] : [.heartbeat([heartbeat])]
        // Only bits that came and went are without a meaning: one that is always set, and every other byte,
        // is a condition. Without a heartbeat whole values say the same, and no more.
        guard heartbeat != 0, ignored == heartbeat, press.value.count == 1 else {
            return ValueReading(
                decoder: .bytes(down.map { whole($0, .down(.talk)) } + up.map { whole($0, .up(.talk)) }),
                press: press,
                facts: [.press(press.value.hexadecimal), .release(release.value.hexadecimal)] + facts
                    + closingFacts(press, release)
            )
        }
        return ValueReading(
            decoder: .bits(BitTable(roles: [bit: .talk], ignored: ignored)),
            press: press,
            facts: [.press("bit \([bit].hexadecimal)"), .release("the bit is clear")] + facts
                + factsOnSubscribing()
        )
    }

    private func whole(_ symbol: LearningSymbol, _ signal: Signal) -> BytePattern {
        BytePattern(symbol.value, [signal], isWhole: true)
    }

    /// The value that comes in most of the times in which the button is down, or up.
    private func usual(_ symbols: [LearningSymbol], after event: PressEvent, in changes: [TimedPress])
        -> LearningSymbol?
    {
        var counts: [LearningSymbol: Int] = [:]
        for (index, change) in changes.enumerated() where change.event == event {
            for symbol in received(since: index, of: changes) { counts[symbol, default: 0] += 1 }
        }
        return symbols.max { counts[$0] ?? 0 < counts[$1] ?? 0 }
    }

    /// The symbols from a change on, before the next one.
    private func received(since index: Int, of changes: [TimedPress]) -> Set<LearningSymbol> {
        let next = changes.indices.contains(index + 1) ? changes[index + 1].time : nil
        let during = entries.filter { entry in
            entry.time >= changes[index].time && next.map { entry.time < $0 } ?? true
        }
        return Set(during.map(\.symbol))
    }

    /// Returns true if all other values are the same levels with the bits of a heartbeat.
    private func areLevels(
        _ levels: BitLevels,
        down: [LearningSymbol],
        up: [LearningSymbol],
        _ changes: [TimedPress]
    ) throws(LearningFailure) -> Bool {
        let held = down.filter { $0 != levels.press }
        let idle = up.filter { $0 != levels.release }
        let isCounterpart = zip(idle, held).allSatisfy {
            ($0.value.first ?? 0) ^ levels.releaseByte == ($1.value.first ?? 0) ^ levels.pressByte
        }
        let isSeenOften = (idle + held).allSatisfy { symbol in entries.count { $0.symbol == symbol } >= 3 }
        if idle.count == held.count, isCounterpart, isSeenOften { return true }
        let counts = occurrences
        // Values that were received only while the button was held mean that it is, if they also come instead
        // of a press, or would otherwise have been received between the holds.
        let areHeld = held.allSatisfy {
            replaces(levels.press, $0, in: changes) || wouldShow(counts[$0]?.down ?? 0, in: .down)
        }
        guard areHeld else { return false }
        // Those that were received only while it was up are releases if they also come instead of one, or
        // would otherwise have been received during the holds.
        for symbol in idle where !replaces(levels.release, symbol, in: changes) {
            guard wouldShow(counts[symbol]?.up ?? 0, in: .up) else { throw .unclearValue(symbol.value) }
        }
        return true
    }

    /// Returns true if a value that is received again and again has come instead of the usual one, which then
    /// is not received before the next change.
    private func replaces(_ usual: LearningSymbol, _ symbol: LearningSymbol, in changes: [TimedPress]) -> Bool
    {
        guard entries.count(where: { $0.symbol == symbol }) >= 3 else { return false }
        return changes.enumerated().contains { index, change in
            entries.contains { $0.time == change.time && $0.symbol == symbol }
                && !received(since: index, of: changes).contains(usual)
        }
    }

    /// Reads whole values.
    ///
    /// - Throws: If they fit, but it is not known what another value means.
    func valueReading() throws(LearningFailure) -> ValueReading? {
        guard let (press, release) = pair() else { return nil }
        let counts = occurrences
        var patterns = [whole(press, .down(.talk)), whole(release, .up(.talk))]
        var facts: [LearningFact] = [.press(press.value.hexadecimal), .release(release.value.hexadecimal)]
        let others = symbols.filter { $0 != press && $0 != release }
        let isLevelLike = { (symbol: LearningSymbol) in
            symbol.value.count == release.value.count && !isGreeting(symbol)
        }
        let hasHeldLevel = others.contains { isLevelLike($0) && counts[$0]?.up ?? 0 == 0 }
        for other in others {
            let count = counts[other] ?? Occurrences()
            if count.down > 0 {
                // A value of both states says nothing of the button, one of the held state repeats what is
                // known.
                if other.isZero { return nil }
                patterns.append(whole(other, .alive))
                facts.append(count.up > 0 ? .heartbeat(other.value) : .ignored(other.value))
            } else if isLevelLike(other) {
                // It may come instead of a release. One that was received only around the edges is not
                // understood.
                guard !hasHeldLevel, wouldShow(count.up, in: .up) else {
                    throw .unclearValue(other.value)
                }
                patterns.append(whole(other, .up(.talk)))
                facts.append(.heartbeat(other.value))
            } else {
                // What is not listed ends a press.
                patterns.append(whole(other, other.isZero ? .up(.talk) : .alive))
                facts.append(.ignored(other.value))
            }
        }
        return ValueReading(
            decoder: .bytes(patterns),
            press: press,
            facts: facts + closingFacts(press, release)
        )
    }

    /// Returns true if a value was received only before the first request.
    private func isGreeting(_ symbol: LearningSymbol) -> Bool {
        guard let first = steps.first else { return false }
        let received = entries.filter { $0.symbol == symbol }
        return received.count == 1 && received.allSatisfy { $0.time < first.press.lowerBound }
    }

    private func closingFacts(_ press: LearningSymbol, _ release: LearningSymbol) -> [LearningFact] {
        factsOnSubscribing() + (mayChange(press, release) ? [.fixed] : [])
    }

    /// Returns true if a byte that never changed could be the charge of a battery.
    private func mayChange(_ press: LearningSymbol, _ release: LearningSymbol) -> Bool {
        let common = zip(press.value, release.value).filter { $0 == $1 && $0 != 0 }.map(\.0)
        return !common.isEmpty && (!TextPadding.isText(press.value) || common.hasDigit)
    }

    private func factsOnSubscribing() -> [LearningFact] {
        guard let first = entries.first, let step = steps.first, first.time < step.press.lowerBound else {
            return []
        }
        return [.onSubscribing(first.symbol.value)]
    }
}

/// A decoder, the value of a press, and what was found.
struct ValueReading {
    let decoder: FrameDecoder
    let press: LearningSymbol
    let facts: [LearningFact]
}

/// The values of a button that has one bit of the first byte.
private struct BitLevels {
    let bit: UInt8
    let press: LearningSymbol
    let release: LearningSymbol

    var pressByte: UInt8 { press.value.first ?? 0 }
    var releaseByte: UInt8 { release.value.first ?? 0 }

    /// Returns true if the two differ in no other bit than a heartbeat has.
    func fit(down: [LearningSymbol], up: [LearningSymbol]) -> Bool {
        let heartbeat =
            down.reduce(0) { $0 | ($1.value.first ?? 0) ^ pressByte }
            | up.reduce(0) { $0 | ($1.value.first ?? 0) ^ releaseByte }
        return (pressByte ^ releaseByte) & ~heartbeat == bit
    }
}
