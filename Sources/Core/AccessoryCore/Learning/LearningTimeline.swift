import PTTMessages

/// One value of one source: a value of a characteristic, or an edge of a key.
struct LearningSymbol: Hashable {
    enum Source: Hashable {
        case characteristic(GattAttribute)
        case key(UInt16)
    }

    let source: Source
    let value: [UInt8]

    static func pressed(_ code: UInt16) -> LearningSymbol { LearningSymbol(source: .key(code), value: [1]) }
    static func released(_ code: UInt16) -> LearningSymbol { LearningSymbol(source: .key(code), value: [0]) }

    var isZero: Bool { value.allSatisfy { $0 == 0 } }
}

/// The symbols that were received, and the steps meanwhile.
struct LearningTimeline {
    struct Entry {
        let time: MonotonicTime
        let symbol: LearningSymbol
    }

    let entries: [Entry]
    let steps: [LearningStep]
    /// The length of the recording.
    let recorded: Duration

    func with(_ entries: [Entry]) -> LearningTimeline {
        LearningTimeline(entries: entries, steps: steps, recorded: recorded)
    }

    var holds: [LearningStep] {
        steps.filter { if case .hold = $0.task { true } else { false } }
    }

    /// Returns the entries of one source.
    func only(_ source: LearningSymbol.Source) -> LearningTimeline {
        with(entries.filter { $0.symbol.source == source })
    }

    /// The different symbols, in the order of their first appearance.
    var symbols: [LearningSymbol] {
        var known: Set<LearningSymbol> = []
        return entries.map(\.symbol).filter { known.insert($0).inserted }
    }

    /// The sources, in the order of their first appearance.
    var sources: [LearningSymbol.Source] {
        var known: Set<LearningSymbol.Source> = []
        return entries.map(\.symbol.source).filter { known.insert($0).inserted }
    }

    /// The changes of the button if these symbols mean that it is down, and those that it is up.
    func presses(down: Set<LearningSymbol>, up: Set<LearningSymbol>) -> [TimedPress] {
        var isDown = false
        return entries.compactMap { entry in
            let isPress = down.contains(entry.symbol)
            guard isPress != isDown, isPress || up.contains(entry.symbol) else { return nil }
            isDown = isPress
            return TimedPress(event: isPress ? .down : .up, time: entry.time)
        }
    }

    func taps(_ symbols: Set<LearningSymbol>) -> [TimedPress] {
        entries.filter { symbols.contains($0.symbol) }.map { TimedPress(event: .tap, time: $0.time) }
    }

    /// The symbols that follow each request to press, the fastest first.
    var pressCandidates: [LearningSymbol] { symbols(following: \.press) }

    /// The symbols that follow each request to let go, the fastest first.
    var releaseCandidates: [LearningSymbol] { symbols(following: \.release) }

    private func symbols(following zone: KeyPath<LearningStep, ClosedRange<MonotonicTime>>)
        -> [LearningSymbol]
    {
        var delays: [LearningSymbol: Duration] = [:]
        for (index, hold) in holds.enumerated() {
            let range = hold[keyPath: zone]
            var first: [LearningSymbol: Duration] = [:]
            for entry in entries where range.contains(entry.time) && first[entry.symbol] == nil {
                first[entry.symbol] = entry.time - range.lowerBound
            }
            guard index > 0 else {
                delays = first
                continue
            }
            delays = delays.filter { first[$0.key] != nil }
            delays.merge(first.filter { delays[$0.key] != nil }) { $0 + $1 }
        }
        return symbols.filter { delays[$0] != nil }.sorted {
            // Stable: symbols with equal delays keep the order of their first appearance.
            (delays[$0] ?? .zero) < (delays[$1] ?? .zero)
        }
    }

    /// The number of holds in which a symbol is received in the time for it.
    func count(_ symbol: LearningSymbol, in zone: KeyPath<LearningStep, ClosedRange<MonotonicTime>>) -> Int {
        let times = entries.filter { $0.symbol == symbol }.map(\.time)
        return holds.count { hold in times.contains { hold[keyPath: zone].contains($0) } }
    }

    func fits(_ pattern: PressPattern, _ presses: [TimedPress]) -> Bool {
        // Why it does not is said of the best reading alone, by ``diagnosis()``.
        (try? pattern.check(presses, against: steps)) != nil
    }

    /// The numbers of times a symbol was received while the button was certainly up, and certainly down.
    struct Occurrences {
        var up = 0
        var down = 0
    }

    var occurrences: [LearningSymbol: Occurrences] {
        var counts: [LearningSymbol: Occurrences] = [:]
        for entry in entries {
            switch state(at: entry.time) {
            case .up: counts[entry.symbol, default: Occurrences()].up += 1
            case .down: counts[entry.symbol, default: Occurrences()].down += 1
            case nil: break
            }
        }
        return counts
    }

    enum State {
        case up
        case down
    }

    /// The state of the button by what was asked for; nil while the person reacts.
    private func state(at time: MonotonicTime) -> State? {
        for step in steps where (step.press.lowerBound...step.release.upperBound).contains(time) {
            let isHeld = step.press.upperBound < time && time < step.release.lowerBound
            return isHeld ? .down : nil
        }
        return .up
    }

    /// Returns true if a symbol that was received so often in one state would also have been received in the
    /// other one, if it came there: by itself, again and again.
    func wouldShow(_ count: Int, in state: State) -> Bool {
        var (up, down) = (recorded, Duration.zero)
        for step in steps {
            up -= step.release.upperBound - step.press.lowerBound
            down += max(Duration.zero, step.release.lowerBound - step.press.upperBound)
        }
        let (own, other) = state == .up ? (up, down) : (down, up)
        // Six times: shorter than any hold, whatever the phase.
        return count >= 3 && other * count >= own * 6
    }
}
