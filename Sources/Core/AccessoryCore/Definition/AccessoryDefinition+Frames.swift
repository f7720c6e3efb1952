package import PTTMessages

// The frames that an accessory sends, for simulated ones.

extension AccessoryDefinition {
    /// Returns the frames that it sends when a button is pressed while others are held: a value with bits has
    /// them too.
    ///
    /// - Returns: In this order; several inputs may report the same press. Empty if it has no such button.
    package func frames(
        pressing role: ButtonRole,
        while held: Set<ButtonRole> = []
    ) -> [AccessoryExample.Step.Action] {
        frames(of: [.down(role), .arm(role), .tap(role)], level: held.union([role]))
    }

    /// Returns the frames that it sends when a button is released while others are held.
    ///
    /// - Returns: In this order. Empty if it never reports the release.
    package func frames(
        releasing role: ButtonRole,
        while held: Set<ButtonRole> = []
    ) -> [AccessoryExample.Step.Action] {
        frames(of: [.up(role), .fire(role), .level([])], level: held.subtracting([role]), releasing: role)
    }

    /// Of the signals, the first one that an input can send counts. The level is of the buttons that are down
    /// then.
    private func frames(
        of signals: [Signal],
        level: Set<ButtonRole>,
        releasing role: ButtonRole? = nil
    ) -> [AccessoryExample.Step.Action] {
        switch input {
        case .gatt(let inputs):
            return inputs.enumerated().compactMap { index, input in
                if let role, !input.decoder.signals.contains(where: { $0.role == role }) { return nil }
                return input.decoder.value(of: signals, level: level).map { .notify($0, input: index) }
            }
        case .serial(let input):
            return input.tokens.text(of: signals).map { [.receive($0)] } ?? []
        case .advertisements(let decoder):
            guard let value = decoder.value(of: signals, level: level), value.count == 2 else { return [] }
            let events = Array(repeating: UInt8(0), count: max(Int(value[0]), 1) - 1) + [value[1]]
            return [.advertise(BTHome.serviceData(packet: 0, events: events))]
        case .keys(let input): return input.edges(of: signals)
        }
    }
}

extension FrameDecoder {
    fileprivate func value(of signals: [Signal], level: Set<ButtonRole>) -> [UInt8]? {
        switch self {
        case .bytes(let patterns):
            let found = signals.compactMap { signal in patterns.first { $0.signals.contains(signal) } }
            return found.first?.bytes ?? (signals.contains(.level([])) ? [0] : nil)
        case .bits(let table):
            guard signals.contains(where: { $0.role.map { table.roles.values.contains($0) } == true }) else {
                return nil
            }
            return [
                table.roles.filter { level.contains($0.value) }.sorted { $0.key < $1.key }
                    .reduce(into: (byte: 0, roles: Set<ButtonRole>())) { result, bit in
                        if result.roles.insert(bit.value).inserted { result.byte |= bit.key }
                    }.byte
            ]
        case .tokens(let table): return table.text(of: signals)
        }
    }
}

extension TokenTable {
    fileprivate func text(of signals: [Signal]) -> [UInt8]? {
        signals.compactMap { signal in tokens.first { $0.signals.contains(signal) } }.first?.bytes
    }
}

extension KeyInput {
    fileprivate func edges(of signals: [Signal]) -> [AccessoryExample.Step.Action] {
        for signal in signals {
            for (code, meaning) in meanings.sorted(by: { $0.key < $1.key })
            where meaning.signals.contains(signal) {
                switch meaning {
                case .button(let role): return [.key(code, isPressed: signal == .down(role))]
                case .down, .up, .tap: return [.key(code, isPressed: true), .key(code, isPressed: false)]
                }
            }
        }
        return []
    }
}
