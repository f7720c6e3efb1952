import PTTMessages

extension Accessory {
    mutating func gattChanged(_ event: GattEvent, at now: MonotonicTime, _ effects: inout EffectList) {
        guard case .gatt(var gatt) = link else { return }
        switch event {
        case .connected, .sharedLinkConnected:
            gatt.isShared = event == .sharedLinkConnected
            lose(.linkLost, to: .connected(since: now), gatt, &effects)
        case .servicesResolved(let found): servicesResolved(found, gatt, &effects)
        case .notificationsEnabled(let input):
            gatt.notificationsEnabled(input, at: now, &effects)
            link = .gatt(gatt)
        case .notificationsFailed(let input, let reason):
            gatt.notificationsFailed(input, reason, at: now, &effects)
            link = .gatt(gatt)
        case .fenceAnswered(let input, let answer): fenceAnswered(input, answer, at: now)
        case .notificationsStopped(let input):
            if gatt[input].phase != .connecting { reopen(gatt, gatt.found, &effects) }
        case .servicesGone:
            switch gatt.state {
            case .away, .leaving: break
            case .connected, .open, .unused: lose(.linkLost, to: .connected(since: now), gatt, &effects)
            }
        case .disconnected(let cause):
            var remark: String?
            if case .leaving(let reason, since: _) = gatt.state { remark = reason }
            lose(cause, to: .away(remark: remark), gatt, &effects)
        case .bluetoothLost:
            lose(.linkLost, to: .away(remark: "Bluetooth is off or not running"), gatt, &effects)
        case .valueNotified(let value, let input): valueNotified(value, input: input, at: now, &effects)
        case .valueSeen(let value, let input): valueSeen(value, input: input)
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

    mutating func streamChanged(_ event: StreamEvent, at now: MonotonicTime, _ effects: inout EffectList) {
        guard case .stream(let stream) = link else { return }
        switch event {
        case .opened:
            lose(.linkLost, to: .stream(.settling(until: now + StreamLink.settleTime)), &effects)
        case .closed(let cause): lose(cause, to: .stream(.closed(remark: nil)), &effects)
        case .unavailable(let reason): if case .closed = stream { link = .stream(.closed(remark: reason)) }
        case .bluetoothLost:
            lose(.linkLost, to: .stream(.closed(remark: "Bluetooth is off or not running")), &effects)
        case .bytesReceived(let bytes): bytesReceived(bytes, at: now, &effects)
        case .advertised(let packet): advertised(packet, at: now, &effects)
        }
    }

    mutating func keysChanged(_ event: KeyEvent, at now: MonotonicTime, _ effects: inout EffectList) {
        guard case .keys(var keys) = link, !keys.isRemoved else { return }
        switch event {
        case .pressed(let code): key(code, isPressed: true, at: now, &effects)
        case .released(let code): key(code, isPressed: false, at: now, &effects)
        case .resynchronised(let code, let isPressed):
            keyResynchronised(code, isPressed: isPressed, at: now, &effects)
        case .eventsLost:
            // The press or the release that should have ended it may be among them.
            gesture.loseAll(.released, &effects)
            buttons.discountPresses()
            buttons.release(roles.unpaired)
        case .plugChanged:
            keys.plugged = now
            link = .keys(keys)
            gesture.loseAll(.deviceRemoved, &effects)
            buttons.discountPresses()
        case .deviceRemoved:
            keys.isRemoved = true
            lose(.deviceRemoved, to: .keys(keys), &effects)
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
