import PTTMessages

extension LearningRecording {
    /// Reads a serial stream: finds the text of a press and that of a release in what arrives after the
    /// requests.
    func serialReading() throws(LearningFailure) -> LearnedInput {
        let stream = SerialStream(self)
        guard let serviceClass = stream.serviceClass, let first = steps.first else { throw .silent }
        let holds = steps.filter { if case .hold = $0.task { true } else { false } }
        let idle = stream.text(from: began, to: first.press.lowerBound)
        let pressed = holds.map { stream.text(from: $0.press.lowerBound, to: $0.release.lowerBound) }
        let released = holds.map { stream.text(from: $0.release.lowerBound, to: $0.release.upperBound) }
        if pressed.allSatisfy(\.isEmpty) {
            throw released.allSatisfy(\.isEmpty) ? .silent : .onlyReleases
        }
        if let missing = zip(holds, pressed).first(where: { $1.isEmpty }) {
            throw .pressNotSeen(step: missing.0.number)
        }
        let press = try Self.token(pressed) { .pressNotSeen(step: holds[$0].number) }
        let isPressOnly = released.allSatisfy(\.isEmpty)
        if !isPressOnly, let missing = zip(holds, released).first(where: { $1.isEmpty }) {
            throw .releaseNotSeen(step: missing.0.number)
        }
        let release = isPressOnly ? nil : try Self.token(released) { .releaseNotSeen(step: holds[$0].number) }
        if let release, release == press { throw .sameForBoth(press) }
        // An accessory file has texts.
        guard TextPadding.isText(press), TextPadding.isText(release ?? []) else { throw .noise }
        let spans = holds.map { (from: $0.press.lowerBound, to: $0.release.lowerBound) }
        // A press and its release, of a person who let go at once, must not pass for one text.
        if isPressOnly, stream.longestArrival(of: spans) > Self.longestText { throw .shortPulses }
        let hasOthers = stream.hasOthers(than: [press] + (release.map { [$0] } ?? []))
        // What else arrives may be a release, however late.
        if isPressOnly, hasOthers { throw .releaseNotSeen(step: first.number) }
        guard press.count > 2 && release?.count ?? 3 > 2 || !hasOthers && idle.isEmpty else { throw .noise }
        let table: TokenTable
        if let release {
            table = try TokenTable(
                press: press,
                release: release,
                stripped: stream.padding,
                hasOthers: hasOthers
            )
        } else {
            // A press that is not recognised would not stop what an earlier one began.
            guard press.isLasting else { throw .mayChange(press) }
            let token = TokenTable.Token(bytes: press, signals: [.tap(.talk)])
            table = TokenTable(tokens: [token], stripped: stream.padding)
        }
        let input = AccessoryInput.serial(SerialInput(serviceClass: serviceClass, tokens: table))
        let pattern = release == nil ? PressPattern.tapped : .held
        try pattern.check(input.presses(in: frames), against: steps)
        var facts: [LearningFact] = [.press(TextPadding.text(press))]
        if let release { facts.append(.release(TextPadding.text(release))) }
        if let release, press.hasDigit(besides: release) { facts.append(.fixed) }
        return LearnedInput(input: input, pattern: pattern, facts: facts)
    }

    /// Shorter than a person presses.
    private static let longestText = Duration.milliseconds(60)

    /// The text that is the same after every request, and that stands alone after most: a text with a counter
    /// in it, or beside it, does not. `missing` is the failure if the text at an index is not there although
    /// the others are.
    private static func token(_ texts: [[UInt8]], missing: (Int) -> LearningFailure)
        throws(LearningFailure) -> [UInt8]
    {
        let roots = texts.map(\.repeatedPart)
        let common = roots.dropFirst().reduce(roots.first ?? []) { $0.longestCommonPart(with: $1) }
        let count = { (token: [UInt8]) in roots.count { $0 == token } }
        guard let usual = roots.max(by: { count($0) < count($1) }), count(usual) * 2 >= roots.count else {
            throw .changing
        }
        if let index = roots.firstIndex(where: { $0.longestCommonPart(with: usual) != usual }) {
            throw missing(index)
        }
        // A part of it would be found where the rest has changed, or is another button's.
        guard !common.isEmpty, common == usual else { throw .changing }
        return common
    }
}

/// The bytes of a recording, without padding.
private struct SerialStream {
    let serviceClass: GattUUID?
    let padding: Set<UInt8>
    private let bytes: [(time: MonotonicTime, byte: UInt8)]

    init(_ recording: LearningRecording) {
        var all: [(MonotonicTime, UInt8)] = []
        var first: GattUUID?
        for frame in recording.frames {
            guard case .received(let bytes, let serviceClass) = frame.content else { continue }
            first = first ?? serviceClass
            all += bytes.map { (frame.time, $0) }
        }
        let padding = TextPadding.present(in: [all.map(\.1)])
        serviceClass = first
        self.padding = padding
        bytes = all.filter { !padding.contains($0.1) }.map { (time: $0.0, byte: $0.1) }
    }

    func text(from begin: MonotonicTime, to end: MonotonicTime) -> [UInt8] {
        bytes.filter { $0.time >= begin && $0.time < end }.map(\.byte)
    }

    /// Returns true if the stream has other bytes than these tokens.
    func hasOthers(than tokens: [[UInt8]]) -> Bool {
        var rest = bytes.map(\.byte)[...]
        while let token = tokens.first(where: { rest.starts(with: $0) }), !rest.isEmpty {
            rest = rest.dropFirst(token.count)
        }
        return !rest.isEmpty
    }

    /// Returns the longest time that the bytes of one of these texts took to arrive.
    func longestArrival(of ranges: [(from: MonotonicTime, to: MonotonicTime)]) -> Duration {
        let spans = ranges.map { range in
            let times = bytes.map(\.time).filter { $0 >= range.from && $0 < range.to }
            guard let first = times.first, let last = times.last else { return Duration.zero }
            return last - first
        }
        return spans.max() ?? .zero
    }
}

extension [UInt8] {
    /// The part that the bytes repeat, all of them if they do not.
    fileprivate var repeatedPart: [UInt8] {
        for length in 1..<Swift.max(count, 1) where count % length == 0 {
            if indices.allSatisfy({ self[$0] == self[$0 % length] }) { return Array(self[..<length]) }
        }
        return self
    }

    fileprivate func longestCommonPart(with other: [UInt8]) -> [UInt8] {
        var best: ArraySlice<UInt8> = []
        for begin in indices {
            for start in other.indices {
                var length = 0
                while begin + length < count, start + length < other.count,
                    self[begin + length] == other[start + length]
                { length += 1 }
                if length > best.count { best = self[begin..<begin + length] }
            }
        }
        return Array(best)
    }
}
