import PTTMessages

extension AccessoryFile {
    typealias Problem = AccessoryFileProblem
    typealias Path = [AccessoryFileProblem.Step]

    /// More than any accessory has; a file with more is an error of the file.
    enum Limit {
        static let inputs = 8
        /// Patterns, tokens, bits or keys of an input.
        static let patterns = 64
        static let patternBytes = 64
        /// Names, addresses and other values of a list.
        static let list = 64
        static let characters = 256
        static let writes = 8
        static let examples = 32
        static let steps = 256
    }

    /// Checks the file.
    ///
    /// - Parameter identifier: The name of the file without `.toml`.
    /// - Returns: The accessory that it describes.
    /// - Throws: The first thing that is wrong, and where.
    package func definition(identifier: String) throws(AccessoryFileProblem) -> AccessoryDefinition {
        try checkPrintable(name, ["name"])
        let confidence = try checkedConfidence()
        let input = try accessoryInput()
        let definition = AccessoryDefinition(
            identifier: identifier,
            name: name,
            confidence: confidence,
            evidence: evidence ?? [],
            captures: capture ?? [],
            match: try accessoryMatch(for: input),
            connection: try connectionPolicy(for: input),
            input: input,
            gesture: try gestureSettings(),
            led: try ledCharacteristic(for: input),
            battery: try batteryAttribute(for: input),
            examples: try examples(for: input)
        )
        try checkSignals(of: definition)
        return definition
    }

    private func gestureSettings() throws(AccessoryFileProblem) -> GestureSettings {
        guard let gesture else { return GestureSettings() }
        return GestureSettings(
            mode: try gesture.mode.map { text throws(AccessoryFileProblem) in
                try choice(text, of: [ButtonMode.hold, .toggle, .latch], ["gesture", "mode"])
            },
            shortestPress: try seconds(gesture.shortestPress, in: 0...1, ["gesture", "shortest-press"])
                ?? .zero,
            releaseAfter: try seconds(gesture.releaseAfter, in: 0.5...600, ["gesture", "release-after"])
        )
    }

    private func connectionPolicy(for input: AccessoryInput) throws(AccessoryFileProblem) -> ConnectionPolicy
    {
        guard let connect else { return ConnectionPolicy() }
        switch input {
        case .gatt, .serial: break
        case .keys: throw Problem(["connect"], "an input device is not connected by push-to-talk")
        case .advertisements: throw Problem(["connect"], "what advertises its presses is not connected")
        }
        let bonding = try connect.bond.map { text throws(AccessoryFileProblem) in
            try choice(text, of: ConnectionPolicy.Bonding.allCases, ["connect", "bond"])
        }
        let texts = connect.write ?? []
        try checkCount(texts.count, Limit.writes, ["connect", "write"])
        if let index = texts.indices.first { try checkIsGatt(input, ["connect", "write", .index(index)]) }
        let writes = try values(of: texts, ["connect", "write"], write)
        return ConnectionPolicy(bonding: bonding ?? .ifRequested, writes: writes)
    }

    private func write(_ write: Write, _ path: Path) throws(AccessoryFileProblem) -> ConnectionPolicy.Write {
        let attribute = try attribute(write.service, write.characteristic, path)
        let change: ConnectionPolicy.Write.Change
        switch (write.value, write.setBits) {
        case (let value?, nil): change = .value(try bytes(value, path + ["value"]))
        case (nil, let bits?): change = .setBits(try bytes(bits, path + ["set-bits"]))
        case (nil, nil): throw Problem(path, "a write has either value or set-bits")
        case (_?, _?): throw Problem(path + ["set-bits"], "a write has either value or set-bits, not both")
        }
        return ConnectionPolicy.Write(attribute: attribute, change: change)
    }

    private func ledCharacteristic(for input: AccessoryInput) throws(AccessoryFileProblem)
        -> LEDCharacteristic?
    {
        guard let led else { return nil }
        try checkIsGatt(input, ["led"])
        return LEDCharacteristic(
            attribute: try attribute(led.service, led.characteristic, ["led"]),
            transmitting: try bytes(led.transmitting, ["led", "transmitting"]),
            idle: try bytes(led.idle, ["led", "idle"])
        )
    }

    private func batteryAttribute(for input: AccessoryInput) throws(AccessoryFileProblem) -> GattAttribute? {
        guard let battery else { return nil }
        try checkIsGatt(input, ["battery"])
        return try attribute(battery.service, battery.characteristic, ["battery"])
    }

    private func checkIsGatt(_ input: AccessoryInput, _ path: Path) throws(AccessoryFileProblem) {
        guard case .gatt = input else {
            throw Problem(path, "only an accessory whose input is a GATT characteristic has one")
        }
    }

    private func seconds(
        _ value: Double?,
        in range: ClosedRange<Double>,
        _ path: Path
    ) throws(AccessoryFileProblem) -> Duration? {
        guard let value else { return nil }
        guard range.contains(value) else {
            throw Problem(path, "\(value) is not between \(range.lowerBound) and \(range.upperBound) seconds")
        }
        return .seconds(value)
    }
}
