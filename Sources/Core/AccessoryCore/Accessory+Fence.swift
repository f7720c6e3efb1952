import PTTMessages

// The read after the subscription, and values that may be those of a read.

extension Accessory {
    /// The answer tells the level of buttons of which no notification has told it. What a button notifies and
    /// what it answers may differ.
    mutating func fenceAnswered(_ input: Int, _ answer: FenceAnswer, at now: MonotonicTime) {
        guard case .gatt(var gatt) = link, gatt[input].fenceAnswered(answer) else { return }
        link = .gatt(gatt)
        switch answer {
        case .refused: _ = settle(input, at: now)
        case .notConnected: break
        case .value(let value):
            hold(downs(in: value, input: input))
            buttons.assumeReleased(roles.roles(of: input))
        }
    }

    /// Before the notifications are known to be on, nothing tells a notification from a read. A button that
    /// is down in it has to be released first.
    mutating func valueSeen(_ value: [UInt8], input: Int) {
        guard case .gatt(let gatt) = link, gatt[input].phase == .connecting else { return }
        hold(downs(in: value, input: input))
    }

    /// The timer may be late.
    mutating func settle(_ input: Int, at now: MonotonicTime) -> Bool {
        guard case .gatt(var gatt) = link, gatt[input].settle(at: now) else { return false }
        link = .gatt(gatt)
        buttons.assumeReleased(roles.roles(of: input))
        return true
    }

    private mutating func hold(_ downs: RoleSet) {
        for role in downs where buttons[role] == .unknown { buttons[role] = .held }
    }

    private func downs(in value: [UInt8], input: Int) -> RoleSet {
        guard case .gatt(let inputs) = definition.input, inputs.indices.contains(input) else {
            return RoleSet()
        }
        var downs = RoleSet()
        for signal in inputs[input].decoder.signals(of: value) {
            switch signal {
            case .down(let role): downs.insert(roles[role])
            case .level(let down): downs.formUnion(roles.mapped(down))
            case .up, .tap, .arm, .fire, .battery, .alive, .uncertain, .unknown: break
            }
        }
        return downs
    }
}
