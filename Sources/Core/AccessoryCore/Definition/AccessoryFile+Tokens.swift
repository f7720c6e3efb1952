import PTTMessages

extension AccessoryFile {
    func tokenTable(of input: Input, _ path: Path) throws(AccessoryFileProblem) -> TokenTable {
        let stripped = Set(
            try input.strip.map { text throws(AccessoryFileProblem) in try bytes(text, path + ["strip"]) }
                ?? []
        )
        let texts = (input.tokens ?? [:]).sorted { $0.key < $1.key }
        if let others = input.others, others != "released" {
            throw Problem(path + ["others"], "\(quoted(others)) is not known: write released")
        }
        let path = path + ["tokens"]
        try checkPatterns(texts.count, path)
        var tokens: [TokenTable.Token] = []
        for (text, meanings) in texts {
            let place = path + [.key(text)]
            let bytes = Array(text.utf8)
            guard !bytes.isEmpty else { throw Problem(place, "a token is empty") }
            try checkCount(bytes.count, Limit.patternBytes, place)
            guard !bytes.contains(where: { stripped.contains($0) }) else {
                throw Problem(place, "\(quoted(text)) has a byte of strip and is never found")
            }
            let signals = try self.signals(meanings, place, isToken: true)
            let token = TokenTable.Token(
                bytes: bytes,
                signals: signals.filter { $0 != .battery(0) },
                hasBattery: signals.contains(.battery(0))
            )
            if token.hasBattery, token.isShort {
                throw Problem(place, "\(quoted(text)) is too short for digits to follow it")
            }
            tokens.append(token)
        }
        for (index, token) in tokens.enumerated() {
            let shorter = tokens.firstIndex {
                $0 != token && !$0.isShort && token.bytes.starts(with: $0.bytes)
            }
            if let shorter {
                let place = path + [.key(texts[index].key)]
                throw Problem(
                    place,
                    "\(quoted(texts[index].key)) begins with \(quoted(texts[shorter].key)), which is found first"
                )
            }
        }
        return TokenTable(tokens: tokens, stripped: stripped, othersRelease: input.others != nil)
    }

    /// In a token digits can follow, as `battery` needs; `.battery(0)` stands for them.
    func signals(
        _ meanings: Meanings,
        _ path: Path,
        isToken: Bool = false
    ) throws(AccessoryFileProblem) -> [Signal] {
        guard !meanings.texts.isEmpty else { throw Problem(path, "has no meaning") }
        try checkCount(meanings.texts.count, Limit.inputs, path)
        var signals: [Signal] = []
        for text in meanings.texts {
            let signal = try self.signal(text, path, isToken: isToken)
            if let other = signals.first(where: { $0.contradicts(signal) }) {
                throw Problem(path, "\(quoted(text)) contradicts \(quoted(other.fileText ?? ""))")
            }
            signals.append(signal)
        }
        return signals
    }

    private func signal(_ text: String, _ path: Path, isToken: Bool) throws(AccessoryFileProblem) -> Signal {
        let words = text.split(separator: " ")
        switch (words.first, words.count) {
        case ("released"?, 1): return .level([])
        case ("alive"?, 1): return .alive
        case ("battery"?, 1):
            guard isToken else {
                throw Problem(path, "battery is only for tokens, after which its digits follow")
            }
            return .battery(0)
        case ("arm"?, 2): return .arm(try role(words[1], path))
        case ("fire"?, 2): return .fire(try role(words[1], path))
        case (let word?, 2):
            let role = try role(word, path)
            switch words[1] {
            case "down": return .down(role)
            case "up": return .up(role)
            case "tap": return .tap(role)
            default: break
            }
        default: break
        }
        throw Problem(
            path,
            "\(quoted(text)) is not a meaning: write a button with down, up or tap, arm or fire with a button, "
                + "released, alive or battery"
        )
    }
}

extension Signal {
    /// The button that it is about, if it is about one.
    var role: ButtonRole? {
        switch self {
        case .down(let role), .up(let role), .tap(let role), .arm(let role), .fire(let role): role
        case .level, .alive, .battery, .uncertain, .unknown: nil
        }
    }

    /// Returns true if the two could not both be true in one value.
    fileprivate func contradicts(_ other: Signal) -> Bool {
        let levels = [self, other].filter { $0 == .level([]) }.count
        return levels == 2 || levels == 1 && (role ?? other.role) != nil || role != nil && role == other.role
    }

    /// As an accessory file writes it; nil for what no file can say.
    package var fileText: String? {
        switch self {
        case .down(let role): "\(role.fileText) down"
        case .up(let role): "\(role.fileText) up"
        case .tap(let role): "\(role.fileText) tap"
        case .arm(let role): "arm \(role.fileText)"
        case .fire(let role): "fire \(role.fileText)"
        case .level(let roles): roles.isEmpty ? "released" : nil
        case .alive: "alive"
        case .battery: "battery"
        case .uncertain, .unknown: nil
        }
    }
}
