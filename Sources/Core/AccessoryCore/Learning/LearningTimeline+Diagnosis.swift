extension LearningTimeline {
    /// Why no reading explains the symbols: what the best one does not explain.
    func diagnosis() -> LearningFailure {
        guard !entries.isEmpty, !holds.isEmpty else { return .silent }
        let presses = pressCandidates
        let releases = releaseCandidates
        for down in presses where down.isZero {
            let isHeld = releases.contains { fits(.held, self.presses(down: [down], up: [$0])) }
            if isHeld || presses == [down] && fits(.tapped, taps([down])) { return .inverted }
        }
        if let both = presses.first(where: { isForBoth($0) }) { return .sameForBoth(both.value) }
        if symbols.count > Self.mostValues { return .changing }
        return bestMismatch() ?? .changing
    }

    /// More different values than a button with a heartbeat and a battery has.
    static let mostValues = 24

    /// No more than levels with a heartbeat and some more: they do not count.
    private static let fewValues = 6

    private func isForBoth(_ symbol: LearningSymbol) -> Bool {
        guard count(symbol, in: \.release) == holds.count else { return false }
        let times = entries.filter { $0.symbol == symbol }.map(\.time)
        return times.allSatisfy { time in
            steps.contains { $0.press.contains(time) || $0.release.contains(time) }
        }
    }

    /// The first step that the pair of symbols which explains most steps does not explain.
    private func bestMismatch() -> LearningFailure? {
        var best: (count: Int, down: LearningSymbol, up: LearningSymbol?)?
        let counted = symbols.map { ($0, press: count($0, in: \.press), release: count($0, in: \.release)) }
        for (down, pressed, _) in counted where pressed > 0 && !down.isZero {
            for (up, _, released) in counted where up != down && released > 0 {
                let count = min(pressed, released) * 2
                if count > best?.count ?? 0 { best = (count, down, up) }
            }
            if pressed > best?.count ?? 0 { best = (pressed, down, nil) }
        }
        guard let best else {
            return counted.contains { $0.release == holds.count } ? .onlyReleases : .silent
        }
        guard best.count > holds.count / 2 || symbols.count <= Self.fewValues else { return nil }
        do throws(LearningFailure) {
            if let up = best.up {
                try PressPattern.held.check(presses(down: [best.down], up: [up]), against: steps)
            } else {
                try PressPattern.tapped.check(taps([best.down]), against: steps)
            }
            return .contradiction
        } catch {
            return error
        }
    }
}
