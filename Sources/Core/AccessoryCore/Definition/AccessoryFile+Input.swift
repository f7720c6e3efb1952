import PTTMessages

extension AccessoryFile {
    func accessoryInput() throws(AccessoryFileProblem) -> AccessoryInput {
        guard let first = input.first else {
            throw Problem(["input"], "has no value: the accessory sends nothing")
        }
        try checkCount(input.count, Limit.inputs, ["input"])
        let kinds = input.map(\.kinds)
        for (index, kinds) in kinds.enumerated() where kinds.count != 1 {
            throw Problem(
                ["input", .index(index)],
                "an input has either service and characteristic, or serial, or advertisement, or keys"
            )
        }
        for (index, kinds) in kinds.enumerated() where kinds != first.kinds {
            throw Problem(["input", .index(index)], "all inputs of an accessory have one transport")
        }
        switch first.kinds.first {
        case .gatt?: return .gatt(try gattInputs())
        case .serial?:
            if input.count > 1 { throw Problem(["input", 1], "an accessory has one serial input") }
            return .serial(try serialInput(first))
        case .advertisement?:
            if input.count > 1 { throw Problem(["input", 1], "an accessory has one advertisement") }
            return .advertisements(try advertisementDecoder(first))
        case .keys?, nil:
            if input.count > 1 { throw Problem(["input", 1], "an accessory has one input with keys") }
            return .keys(try keyInput(first))
        }
    }

    private func gattInputs() throws(AccessoryFileProblem) -> [GattInput] {
        var inputs: [GattInput] = []
        for (index, input) in input.enumerated() {
            let path: Path = ["input", .index(index)]
            guard let service = input.service, let characteristic = input.characteristic else {
                throw Problem(path, "has either service or characteristic; it needs both")
            }
            let attribute = try attribute(service, characteristic, path)
            guard !inputs.contains(where: { $0.attribute == attribute }) else {
                throw Problem(path + ["characteristic"], "is an input already")
            }
            inputs.append(GattInput(attribute: attribute, decoder: try decoder(of: input, path)))
        }
        return inputs
    }

    private func decoder(of input: Input, _ path: Path) throws(AccessoryFileProblem) -> FrameDecoder {
        if input.ignore != nil, input.bits == nil { throw Problem(path + ["ignore"], "is only for bits") }
        if input.strip != nil, input.tokens == nil { throw Problem(path + ["strip"], "is only for tokens") }
        if input.others != nil, input.tokens == nil {
            throw Problem(path + ["others"], "is only for tokens")
        }
        switch (input.bytes, input.values, input.bits, input.tokens) {
        case (let bytes?, nil, nil, nil): return .bytes(try bytePatterns(bytes, path + ["bytes"]))
        case (nil, let values?, nil, nil):
            return .bytes(try bytePatterns(values, path + ["values"], areWhole: true))
        case (nil, nil, let bits?, nil): return .bits(try bitTable(bits, ignore: input.ignore, path))
        case (nil, nil, nil, _?): return .tokens(try tokenTable(of: input, path))
        default: throw Problem(path, "an input has one of bytes, values, bits and tokens")
        }
    }

    private func bytePatterns(
        _ texts: [String: Meanings],
        _ path: Path,
        areWhole: Bool = false
    ) throws(AccessoryFileProblem) -> [BytePattern] {
        try checkPatterns(texts.count, path)
        var patterns: [BytePattern] = []
        for (text, meanings) in texts.sorted(by: { $0.key < $1.key }) {
            let place = path + [.key(text)]
            let (bytes, free) = try bytesAndFree(text, place, areWhole: areWhole)
            var signals = try self.signals(meanings, place)
            if bytes.allSatisfy({ $0 == 0 }), free.isEmpty { signals = try release(signals, place) }
            let pattern = BytePattern(bytes, signals, free: free, isWhole: areWhole)
            guard !patterns.contains(where: { $0.isAmbiguous(with: pattern) }) else {
                throw Problem(place, "\(quoted(text)) is listed twice")
            }
            patterns.append(pattern)
        }
        return patterns
    }

    /// `?? 01`: any byte, and 01.
    private func bytesAndFree(_ text: String, _ path: Path, areWhole: Bool)
        throws(AccessoryFileProblem) -> ([UInt8], Set<Int>)
    {
        guard areWhole else { return (try bytes(text, path), []) }
        var free: Set<Int> = []
        var texts: [String] = []
        for (index, group) in text.split(separator: " ").enumerated() {
            if group == "??" { free.insert(index) }
            texts.append(group == "??" ? "00" : String(group))
        }
        let bytes = try bytes(texts.joined(separator: " "), path)
        guard free.isEmpty || bytes.count == texts.count else {
            throw Problem(path, "\(quoted(text)): beside a ?? each byte stands by itself, as in \"?? 01\"")
        }
        guard free.count < bytes.count else { throw Problem(path, "\(quoted(text)) is every value") }
        return (bytes, free)
    }

    /// A value of zeros only releases every button, whatever else the file says of it.
    private func release(_ signals: [Signal], _ path: Path) throws(AccessoryFileProblem) -> [Signal] {
        for signal in signals {
            switch signal {
            case .up, .fire, .level, .alive, .battery, .uncertain, .unknown: break
            case .down, .tap, .arm:
                throw Problem(
                    path,
                    "a value of zeros only is always a release: many buttons send it when they connect"
                )
            }
        }
        return signals.filter { if case .fire = $0 { true } else { false } } + [.level([])]
    }

    private func bitTable(
        _ texts: [String: String],
        ignore: String?,
        _ path: Path
    ) throws(AccessoryFileProblem) -> BitTable {
        try checkPatterns(texts.count, path + ["bits"])
        var roles: [UInt8: ButtonRole] = [:]
        for (text, meaning) in texts.sorted(by: { $0.key < $1.key }) {
            let place = path + ["bits", .key(text)]
            let mask = try mask(text, place)
            guard mask.nonzeroBitCount == 1 else {
                throw Problem(place, "\(quoted(text)) is not a single bit")
            }
            guard roles[mask] == nil else { throw Problem(place, "\(quoted(text)) is listed twice") }
            roles[mask] = try role(meaning, place)
        }
        guard let ignore else { return BitTable(roles: roles) }
        let ignored = try mask(ignore, path + ["ignore"])
        guard roles.keys.allSatisfy({ ignored & $0 == 0 }) else {
            throw Problem(path + ["ignore"], "\(quoted(ignore)) has a bit that is a button")
        }
        return BitTable(roles: roles, ignored: ignored)
    }

    private func mask(_ text: String, _ path: Path) throws(AccessoryFileProblem) -> UInt8 {
        let bytes = try bytes(text, path)
        guard bytes.count == 1 else { throw Problem(path, "\(quoted(text)) is not one byte") }
        return bytes[0]
    }

    private func serialInput(_ input: Input) throws(AccessoryFileProblem) -> SerialInput {
        let path: Path = ["input", 0]
        let serviceClass = try uuid(input.serial ?? "", path + ["serial"])
        guard input.tokens != nil, input.bytes == nil, input.values == nil, input.bits == nil,
            input.ignore == nil
        else {
            throw Problem(path, "a serial input has tokens, and neither bytes nor bits")
        }
        return SerialInput(serviceClass: serviceClass, tokens: try tokenTable(of: input, path))
    }

    private func advertisementDecoder(_ input: Input) throws(AccessoryFileProblem) -> FrameDecoder {
        let path: Path = ["input", 0]
        guard input.advertisement == "bthome" else {
            throw Problem(path + ["advertisement"], "\(quoted(input.advertisement ?? "")) is not bthome")
        }
        guard input.bits == nil, input.tokens == nil, input.values == nil else {
            throw Problem(path, "an advertisement has bytes: the number of the button, and its event")
        }
        let decoder = try decoder(of: input, path)
        for signal in decoder.signals {
            guard case .tap = signal else {
                throw Problem(path + ["bytes"], "no release is advertised: a meaning is a tap")
            }
        }
        return decoder
    }

    private func keyInput(_ input: Input) throws(AccessoryFileProblem) -> KeyInput {
        let path: Path = ["input", 0]
        guard input.bytes == nil, input.values == nil, input.bits == nil, input.tokens == nil,
            input.ignore == nil, input.strip == nil, input.others == nil
        else { throw Problem(path, "an input with keys has nothing else") }
        let texts = input.keys ?? [:]
        try checkPatterns(texts.count, path + ["keys"])
        var meanings: [UInt16: KeyInput.Meaning] = [:]
        for (text, meaning) in texts.sorted(by: { $0.key < $1.key }) {
            let place = path + ["keys", .key(text)]
            guard let code = KeyName.code(of: text) else {
                throw Problem(
                    place,
                    "\(quoted(text)) is not a key: write its name in input-event-codes.h, as KEY_MEDIA"
                )
            }
            guard meanings[code] == nil else { throw Problem(place, "\(quoted(text)) is listed twice") }
            meanings[code] = try keyMeaning(meaning, place)
        }
        return KeyInput(meanings: meanings)
    }

    private func keyMeaning(_ text: String, _ path: Path) throws(AccessoryFileProblem) -> KeyInput.Meaning {
        let words = text.split(separator: " ")
        guard words.count == 2 else { return .button(try role(text, path)) }
        let role = try role(words[0], path)
        switch words[1] {
        case "down": return .down(role)
        case "up": return .up(role)
        case "tap": return .tap(role)
        default:
            throw Problem(
                path,
                "\(quoted(text)) is not the meaning of a key: write \(words[0]), or with down, up or tap"
            )
        }
    }

    func checkPatterns(_ count: Int, _ path: Path) throws(AccessoryFileProblem) {
        if count == 0 { throw Problem(path, "is empty") }
        try checkCount(count, Limit.patterns, path)
    }
}

extension AccessoryFile.Input {
    enum Kind {
        case gatt
        case serial
        case advertisement
        case keys
    }

    var kinds: Set<Kind> {
        var kinds: Set<Kind> = []
        if service != nil || characteristic != nil { kinds.insert(.gatt) }
        if serial != nil { kinds.insert(.serial) }
        if advertisement != nil { kinds.insert(.advertisement) }
        if keys != nil { kinds.insert(.keys) }
        return kinds
    }
}
