import PTTMessages

// The read after the subscription, and what was seen until it is answered.

extension Accessory {
    mutating func fenceAnswered(
        _ input: Int,
        _ answer: FenceAnswer,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) {
        guard case .gatt(var gatt) = link, gatt.isFenced(input) else { return }
        let last = removeUnconfirmed(input)
        var report = Report(sample: .nothing, input: input, time: now, phase: .fenced)
        report.isPublished = true
        switch answer {
        case .refused:
            gatt.endFence(input, isRefused: true)
            link = .gatt(gatt)
            // No read was signalled: the newest value was a notification.
            report.confirmed = last
            apply([], &report, &effects)
            _ = settle(input, at: now)
        case .value(let value):
            // BlueZ signals the value of a read before it answers.
            if let last, last.value == value {
                report.pendingDowns = last.downs
            } else {
                report.confirmed = last
                apply(signals(of: value, input: input), &report, &effects)
            }
            gatt.endFence(input, isRefused: false)
            link = .gatt(gatt)
            distrust(report.pendingDowns, of: input)
            buttons.assumeReleased(roles.roles(of: input))
        }
    }

    /// An input has become ready without an answer to its read.
    mutating func opened(_ input: Int) {
        if let last = removeUnconfirmed(input) { distrust(last.downs, of: input) }
        buttons.assumeReleased(roles.roles(of: input))
    }

    /// The releases of a value after which another one came: it was a notification.
    mutating func confirmReleases(
        _ earlier: Unconfirmed,
        _ report: inout Report,
        _ effects: inout EffectList
    ) {
        for role in earlier.ups where buttons[role] == .held || buttons[role] == .released {
            if buttons[role] == .held { _ = gesture.letGo(role, at: report.time, &effects) }
            buttons[role] = .released
            noteLetGo(role, &report)
        }
    }

    /// The presses of that value, unless the button is up again.
    mutating func confirmPresses(
        _ earlier: Unconfirmed,
        _ report: inout Report,
        _ effects: inout EffectList
    ) {
        for role in earlier.downs where buttons[role] == .released && !report.ups.contains(role) {
            report.pendingDowns.remove(role)
            press(role, &report, &effects)
        }
    }

    mutating func removeUnconfirmed(_ input: Int) -> Unconfirmed? {
        guard let index = unconfirmed.firstIndex(where: { $0.input == input }) else { return nil }
        return unconfirmed.remove(at: index)
    }

    /// Buttons that are down, but whose press may not have been observed; another input that is ready knows better.
    private mutating func distrust(_ downs: RoleSet, of input: Int) {
        guard case .gatt(let gatt) = link else { return }
        for role in downs where buttons[role] == .released {
            let isKnown = gatt.inputs.indices.contains { other in
                other != input && gatt.isReady(other) && roles.roles(of: other).contains(role)
            }
            if !isKnown { buttons[role] = .held }
        }
    }

    private func signals(of value: [UInt8], input: Int) -> [Signal] {
        guard case .gatt(let inputs) = definition.input else { return [] }
        return inputs[input].decoder.signals(of: value)
    }
}
