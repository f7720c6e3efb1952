import PTTMessages

extension LearningTimeline {
    /// Returns true if the press alone of the button is reported, by each of these symbols.
    ///
    /// - Throws: If the releases may be those of a person who let go at once.
    func areTaps(_ presses: Set<LearningSymbol>) throws(LearningFailure) -> Bool {
        guard fits(.tapped, taps(presses)), let firstStep = steps.first else { return false }
        let own = entries.filter { entry in presses.contains { $0.source == entry.symbol.source } }
        let quiet = entries.filter { $0.time < firstStep.press.lowerBound }.map(\.symbol)
        var pulses: [Duration] = []
        for (entry, following) in zip(own, own.dropFirst())
        where presses.contains(entry.symbol) && !presses.contains(following.symbol) {
            let width = following.time - entry.time
            if width <= Self.longestPulse { pulses.append(width) }
        }
        let count = taps(presses).count
        if pulses.count == count {
            let (least, most) = (pulses.min() ?? .zero, pulses.max() ?? .zero)
            guard most < Self.shortPulse || most - least <= Self.pulseSpread else { throw .shortPulses }
        } else if pulses.count * 2 > count {
            return false
        }
        // Whatever else comes after a press, and did not come before the first, may be a release.
        let accounted = Set(quiet).union(presses)
        for (index, entry) in entries.enumerated() where !accounted.contains(entry.symbol) {
            let isOwn = presses.contains { $0.source == entry.symbol.source }
            let longest = isOwn && pulses.count == count ? Self.longestPulse : Self.together
            let before = entries[..<index].last { presses.contains($0.symbol) }
            let after = entries[index...].first { presses.contains($0.symbol) }
            let isPart = [before, after].contains { press in
                press.map { (.zero - Self.together...longest).contains(entry.time - $0.time) } ?? false
            }
            guard isPart else { return false }
        }
        // A value of the quiet time, an idle level, must not come instead of a release. A heartbeat comes
        // while the button is held as well.
        let counts = occurrences
        for symbol in Set(quiet).subtracting(presses) {
            let released = self.count(symbol, in: \.release)
            if released > 0, counts[symbol]?.down ?? 0 == 0 || released == holds.count {
                throw .unclearValue(symbol.value)
            }
        }
        return true
    }

    /// A pulse: the firmware's own release.
    private static let longestPulse = Duration.milliseconds(1000)
    /// The longest time between the reports of one press by two inputs.
    static let together = Duration.milliseconds(40)
    /// Shorter than a person presses.
    private static let shortPulse = Duration.milliseconds(20)
    /// More regular than a person lets go.
    private static let pulseSpread = Duration.milliseconds(30)
}
