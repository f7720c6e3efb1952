import PTTMessages

extension Accessory {
    mutating func linkChanged(_ event: Event, at now: MonotonicTime, _ effects: inout EffectList) {
        switch (event, link) {
        case (.connected, .gatt(var gatt)), (.sharedLinkConnected, .gatt(var gatt)):
            gatt.isShared = event == .sharedLinkConnected
            lose(.linkLost, to: .connected(since: now), gatt, &effects)
        case (.servicesResolved(let found), .gatt(let gatt)): servicesResolved(found, gatt, &effects)
        case (.notificationsEnabled(let input), .gatt(var gatt)):
            gatt.notificationsEnabled(input, at: now, &effects)
            link = .gatt(gatt)
        case (.notificationsFailed(let input, let reason), .gatt(var gatt)):
            gatt.notificationsFailed(input, reason, at: now, &effects)
            link = .gatt(gatt)
        case (.fenceAnswered(let input, let answer), .gatt): fenceAnswered(input, answer, at: now)
        case (.notificationsStopped(let input), .gatt(let gatt)):
            if gatt[input].phase != .connecting { reopen(gatt, gatt.found, &effects) }
        case (.servicesGone, .gatt(let gatt)):
            switch gatt.state {
            case .away, .leaving: break
            case .connected, .open, .unused: lose(.linkLost, to: .connected(since: now), gatt, &effects)
            }
        case (.disconnected(let cause), .gatt(let gatt)):
            var remark: String?
            if case .leaving(let reason, since: _) = gatt.state { remark = reason }
            lose(cause, to: .away(remark: remark), gatt, &effects)
        case (.bluetoothLost, .gatt(let gatt)):
            lose(.linkLost, to: .away(remark: "Bluetooth is off or not running"), gatt, &effects)
        case (_, .stream(let stream)): streamChanged(event, stream, at: now, &effects)
        case (_, .keys(let keys)): keysChanged(event, keys, at: now, &effects)
        case (_, .gatt): break  // An event of another kind of link.
        }
    }

    private mutating func servicesResolved(
        _ found: Set<Int>,
        _ present: GattLink,
        _ effects: inout EffectList
    ) {
        if case .leaving = present.state { return }
        guard !found.isEmpty else {
            let reason = "it has no \(definition.name) button"
            return lose(.linkLost, to: .unused(reason: reason), present, &effects)
        }
        if present.state == .open {
            if present.found != found { reopen(present, found, &effects) }
        } else {
            // Values that came before still report the level.
            var next = present
            next.open(found, &effects)
            link = .gatt(next)
        }
    }

    /// Subscribes to the inputs, from the beginning.
    private mutating func reopen(_ present: GattLink, _ found: Set<Int>, _ effects: inout EffectList) {
        var next = present
        var subscriptions = EffectList()
        next.open(found, &subscriptions)
        lose(.linkLost, to: .gatt(next), &effects)
        for subscription in subscriptions.effects { effects.append(subscription) }
    }

    private mutating func lose(
        _ cause: EndCause,
        to state: GattLink.State,
        _ present: GattLink,
        _ effects: inout EffectList
    ) {
        var next = present
        next.enter(state)
        lose(cause, to: .gatt(next), &effects)
    }

    private mutating func keysChanged(
        _ event: Event,
        _ present: KeyLink,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) {
        guard !present.isRemoved else { return }
        var keys = present
        if event == .deviceRemoved {
            keys.isRemoved = true
            lose(.deviceRemoved, to: .keys(keys), &effects)
        } else if event == .plugChanged {
            keys.plugged = now
            link = .keys(keys)
            gesture.loseAll(.deviceRemoved, &effects)
            buttons.discountPresses()
        } else if event == .eventsLost {
            // The press or the release that should have ended it may be among them.
            gesture.loseAll(.released, &effects)
            buttons.discountPresses()
            buttons.release(roles.unpaired)
        }
    }

    private mutating func streamChanged(
        _ event: Event,
        _ present: StreamLink,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) {
        if event == .opened {
            lose(.linkLost, to: .stream(.settling(until: now + StreamLink.settleTime)), &effects)
        } else if case .closed(let cause) = event {
            lose(cause, to: .stream(.closed(remark: nil)), &effects)
        } else if case .unavailable(let reason) = event, case .closed = present {
            link = .stream(.closed(remark: reason))
        } else if event == .bluetoothLost {
            lose(.linkLost, to: .stream(.closed(remark: "Bluetooth is off or not running")), &effects)
        }
    }

    /// Ends everything, because the connection to the accessory is lost; the levels become unknown.
    private mutating func lose(_ cause: EndCause, to link: Link, _ effects: inout EffectList) {
        let pressed = buttons.pressed
        gesture.loseAll(cause, &effects)
        gesture.awaitedReleases = RoleSet()
        buttons = Buttons()
        scanner?.reset()
        self.link = link
        if case .keys = link { return }
        guard let role = pressed.first(where: { _ in true }) else { return }
        publish(.released, .nothing, of: role, "lost while it was pressed", &effects)
    }
}
