import PTTMessages

// Bytes that change by nature: a counter, the charge of a battery.

extension LearningTimeline {
    /// Reads values of which some bytes change by themselves: what remains must explain the recording, and
    /// these bytes must have changed while the button was up as well as while it was down. A byte that did
    /// not change is a condition.
    func freeReading() throws(LearningFailure) -> ValueReading? {
        let lengths = Set(symbols.map(\.value.count))
        guard let length = lengths.first, lengths.count == 1, length > 1 else { return nil }
        let changing = (0..<length).filter { place in Set(symbols.map { $0.value[place] }).count > 1 }
        guard changing.count <= Self.mostChanging else { return nil }
        for count in 1..<max(changing.count, 1) {
            var found: [ValueReading] = []
            for places in changing.combinations(count) {
                let free = Set(places)
                let rest = without(free)
                guard rest.symbols.count <= Self.mostValues, let (press, release) = rest.pair(),
                    places.allSatisfy({ changesByItself(at: $0, press, release, free) }),
                    let reading = try rest.valueReading(),
                    case .bytes(let patterns) = reading.decoder
                else { continue }
                let freed = patterns.map { BytePattern($0.bytes, $0.signals, free: free, isWhole: true) }
                let first = symbols.first { without(free, $0) == press } ?? press
                let facts: [LearningFact] =
                    [.press(press.text(free)), .release(release.text(free))]
                    + places.map { .changing(byte: $0 + 1) }
                // The first two are the press and the release.
                found.append(
                    ValueReading(
                        decoder: .bytes(freed),
                        press: first,
                        facts: facts + reading.facts.dropFirst(2)
                    )
                )
            }
            if found.count > 1 { throw .contradiction }
            if let reading = found.first { return reading }
        }
        return nil
    }

    /// More changing bytes than a level, a counter and a charge are a checksum, or a cipher.
    private static let mostChanging = 6
    /// More values than a flag has.
    private static let manyValues = 4

    private func without(_ free: Set<Int>) -> LearningTimeline {
        with(entries.map { Entry(time: $0.time, symbol: without(free, $0.symbol)) })
    }

    private func without(_ free: Set<Int>, _ symbol: LearningSymbol) -> LearningSymbol {
        let value = symbol.value.enumerated().map { free.contains($0.offset) ? 0 : $0.element }
        return LearningSymbol(source: symbol.source, value: value)
    }

    /// Returns true if a byte takes many values in both states, or falls as a charge does: else it may be the
    /// number of a key.
    private func changesByItself(
        at place: Int,
        _ press: LearningSymbol,
        _ release: LearningSymbol,
        _ free: Set<Int>
    ) -> Bool {
        let states = [press, release].map { state in
            Set(entries.filter { without(free, $0.symbol) == state }.map { $0.symbol.value[place] })
        }
        if states.allSatisfy({ $0.count >= Self.manyValues }) { return true }
        let sequence = entries.map { $0.symbol.value[place] }
        let isFalling = zip(sequence, sequence.dropFirst()).allSatisfy { $0 >= $1 }
        return isFalling && sequence.allSatisfy { $0 <= 100 } && states.allSatisfy { $0.count > 1 }
    }
}

extension LearningSymbol {
    /// `?? 01`
    fileprivate func text(_ free: Set<Int>) -> String {
        value.enumerated().map { free.contains($0.offset) ? "??" : [$0.element].hexadecimal }
            .joined(separator: " ")
    }
}

extension [Int] {
    /// All ways to take so many of them.
    fileprivate func combinations(_ count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return indices.flatMap { index in
            Array(self[(index + 1)...]).combinations(count - 1).map { [self[index]] + $0 }
        }
    }
}
