import PTTMessages

extension Accessory {
    mutating func valueNotified(
        _ value: [UInt8],
        input: Int,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) {
        guard case .gatt(let gatt) = link, case .gatt(let inputs) = definition.input,
            inputs.indices.contains(input)
        else { return }
        let phase = settle(input, at: now) ? .ready : gatt[input].phase
        let signals = inputs[input].decoder.signals(of: value)
        if case .away = gatt.state, !signals.areUnknown {
            return publish(.ignored, .bytes(value), "it is not connected", &effects)
        }
        var report = Report(sample: .bytes(value), input: input, time: now, phase: phase)
        apply(signals, &report, &effects)
        guard gatt[input] == .unlinked else { return }
        // There is a link after all. What came over it before is not known.
        var next = gatt
        next.notificationsEnabled(input, at: now, &effects)
        link = .gatt(next)
    }

    mutating func bytesReceived(_ bytes: [UInt8], at now: MonotonicTime, _ effects: inout EffectList) {
        guard let phase = settleStream(at: now), let signals = scanner?.signals(of: bytes, at: now) else {
            return
        }
        var report = Report(sample: .bytes(bytes), input: 0, time: now, phase: phase)
        apply(signals, &report, &effects)
    }

    mutating func advertised(_ packet: BTHome.Packet, at now: MonotonicTime, _ effects: inout EffectList) {
        guard let phase = settleStream(at: now), case .advertisements(let decoder) = definition.input
        else { return }
        switch sequence.receive(packet, at: now) {
        case .repeated: return
        case .unusable(let reason):
            return publish(.ignored, .bytes(packet.events), reason, &effects)
        case .new: break
        }
        if let charge = packet.battery { battery = charge }
        for (index, event) in packet.events.enumerated() where event != 0 {
            let value = [UInt8(truncatingIfNeeded: index + 1), event]
            var report = Report(sample: .bytes(value), input: 0, time: now, phase: phase)
            apply(decoder.signals(of: value), &report, &effects)
        }
    }

    /// - Returns: Nil for another kind of link.
    @discardableResult
    mutating func settleStream(at now: MonotonicTime) -> Phase? {
        guard case .stream(var stream) = link else { return nil }
        if stream.settle(at: now) { buttons.assumeReleased(roles.all) }
        link = .stream(stream)
        return stream.phase
    }

    mutating func key(_ code: UInt16, isPressed: Bool, at now: MonotonicTime, _ effects: inout EffectList) {
        guard case .keys(let input) = definition.input else { return }
        var report = Report(sample: .key(code), input: 0, time: now, phase: .ready)
        apply(input.signals(of: code, isPressed: isPressed), &report, &effects)
    }

    mutating func apply(_ signals: [Signal], _ report: inout Report, _ effects: inout EffectList) {
        report.note = signals.note
        for signal in signals {
            switch signal {
            case .down(let role): down(roles[role], &report, &effects)
            case .up(let role): up(roles[role], &report, &effects)
            case .tap(let role): tap(roles[role], &report, &effects)
            case .arm(let role): if report.areEdges, permission == .given { gesture.armed = roles[role] }
            case .fire(let role):
                if gesture.fire(roles[role]) { tap(roles[role], &report, &effects) }
            case .level(let down): level(roles.mapped(down), &report, &effects)
            case .battery(let percent): battery = percent
            case .uncertain: doubt(&report, &effects)
            case .alive, .unknown: break
            }
        }
        letGo(report.releasesWithoutPress, &effects)
        if !report.isPublished { publishPassed(report, &effects) }
    }

    /// Releases before presses: an emergency may take the place of a talk button.
    private mutating func level(_ downs: RoleSet, _ report: inout Report, _ effects: inout EffectList) {
        for role in roles.roles(of: report.input) where !downs.contains(role) { up(role, &report, &effects) }
        for role in downs { down(role, &report, &effects) }
    }

    private mutating func down(_ role: ButtonRole, _ report: inout Report, _ effects: inout EffectList) {
        switch buttons[role] {
        case .pressed, .held: report.pass(report.areEdges ? .alreadyPressed : .pressedWhileConnecting)
        case .unknown:
            buttons[role] = .held
            report.pass(report.areEdges ? .notObserved : .pressedWhileConnecting)
        case .released:
            if report.phase == .connecting {
                buttons[role] = .held
                report.pass(.pressedWhileConnecting)
            } else if buttons.isMirrored(role, by: report.input, at: report.time) {
                // Like any level without a press of its own: a release comes first.
                buttons[role] = .held
                report.pass(.mirrored)
            } else {
                press(role, &report, &effects)
            }
        }
    }

    private mutating func press(_ role: ButtonRole, _ report: inout Report, _ effects: inout EffectList) {
        lastPress = (role, report.time)
        if let obstacle = obstacle(at: report.time) {
            buttons[role] = .held
            return ignore(obstacle, role, &report, &effects)
        }
        buttons[role] = .pressed
        let verdict = gesture.pressed(role, report.sample, at: report.time, &effects)
        publish(verdict, .pressed, role, &report, &effects)
    }

    private mutating func tap(_ role: ButtonRole, _ report: inout Report, _ effects: inout EffectList) {
        guard report.areEdges else { return report.pass(.pressedWhileConnecting) }
        guard isNumbered || buttons.isFirstTap(role, report.sample, at: report.time) else {
            return report.pass(.repeated)
        }
        lastPress = (role, report.time)
        if let obstacle = obstacle(at: report.time) { return ignore(obstacle, role, &report, &effects) }
        let verdict = gesture.tapped(role, at: report.time, &effects)
        publish(verdict, .pressed, role, &report, &effects)
    }

    private mutating func up(_ role: ButtonRole, _ report: inout Report, _ effects: inout EffectList) {
        let level = buttons[role]
        buttons[role] = .released
        switch level {
        case .released: report.pass(report.areEdges ? .alreadyReleased : .releasedWhileConnecting)
        case .pressed:
            buttons.noteRelease(of: role, by: report.input, at: report.time)
            let verdict = gesture.released(role, at: report.time, &effects)
            publish(verdict, .released, role, &report, &effects)
        case .held, .unknown:
            if level == .held, case .withheld(let reason, cause: _) = permission {
                return ignore(reason, role, &report, &effects)
            }
            let verdict = gesture.letGo(role, at: report.time, &effects)
            if verdict != .counted || isKeys { return publish(verdict, .released, role, &report, &effects) }
            noteLetGo(role, &report)
            report.pass(report.areEdges ? .letGo : .releasedWhileConnecting)
        }
    }

    /// A value that no file lists came while a button was down: it may be its release in a form that is not
    /// known, as with the charge of a battery beside the level. The press ends, and the next one counts after
    /// a release.
    private mutating func doubt(_ report: inout Report, _ effects: inout EffectList) {
        for role in roles.roles(of: report.input) where buttons[role] == .pressed {
            buttons[role] = .held
            let verdict = gesture.released(role, isAssumed: true, at: report.time, &effects)
            publish(verdict, .released, role, &report, &effects)
        }
    }

    private func noteLetGo(_ role: ButtonRole, _ report: inout Report) {
        // What a press keeps on does not end with a release that has no press.
        guard role.transmits, gesture.mode != .toggle, gesture.attempt?.role != role, permission == .given
        else { return }
        report.releasesWithoutPress.insert(role)
    }

    /// Why a press does not count, for people.
    private func obstacle(at now: MonotonicTime) -> String? {
        if case .withheld(let reason, cause: _) = permission { return reason }
        if case .keys(let keys) = link, keys.isPlugMoving(at: now) { return "the plug was moved just now" }
        return nil
    }

    private var isKeys: Bool { if case .keys = link { true } else { false } }

    /// True if a repetition is told from a press by its number.
    private var isNumbered: Bool { if case .advertisements = definition.input { true } else { false } }

    /// One order for all buttons, if none of them holds anything.
    private func letGo(_ releasesWithoutPress: RoleSet, _ effects: inout EffectList) {
        if releasesWithoutPress.isEmpty { return }
        if releasesWithoutPress.count > 1, gesture.attempt == nil, gesture.holding.isEmpty {
            return effects.order(.letGo(nil))
        }
        for role in releasesWithoutPress { effects.order(.letGo(role)) }
    }

    /// After lost events nothing is known of what was pressed or released between: a transmission ends, and a
    /// button that is found pressed does not count.
    mutating func keyResynchronised(
        _ code: UInt16,
        isPressed: Bool,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) {
        guard case .keys(let input) = definition.input else { return }
        gesture.loseAll(.released, &effects)
        buttons.discountPresses()
        guard let meaning = input.meanings[code] else { return }
        if case .button(let role) = meaning {
            buttons[roles[role]] = isPressed ? .held : .released
            if !isPressed { _ = gesture.letGo(roles[role], at: now, &effects) }
        }
        let remark = isPressed ? "the press was not observed" : "the release was not observed"
        publish(.ignored, .key(code), remark, &effects)
    }

    /// The release of a button that was down for too long is assumed.
    mutating func expire(_ role: ButtonRole, at now: MonotonicTime, _ effects: inout EffectList) {
        // A Bluetooth button may repeat its level: it must be observed as released. A key and a text are
        // edges.
        if case .gatt = link { buttons[role] = .held } else { buttons[role] = .released }
        var report = Report(sample: .nothing, input: 0, time: now, phase: .ready)
        report.note = "it was pressed for so long that its release must be lost"
        let verdict = gesture.released(role, isAssumed: true, at: now, &effects)
        publish(verdict, .released, role, &report, &effects)
    }
}
