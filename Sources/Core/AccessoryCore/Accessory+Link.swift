import PTTMessages

extension Accessory {
    mutating func linkChanged(_ event: Event, at now: MonotonicTime, _ effects: inout EffectList) {
        switch link {
        case .gatt(let link): gattChanged(event, link, at: now, &effects)
        case .serial(let stream, var scanner):
            scanner.reset()
            streamChanged(event, stream, at: now, &effects) { [scanner] in .serial($0, scanner) }
        case .advertisements(let stream, let sequence):
            streamChanged(event, stream, at: now, &effects) { .advertisements($0, sequence) }
        case .keys(let keys): keysChanged(event, keys, at: now, &effects)
        }
    }

    private mutating func gattChanged(
        _ event: Event,
        _ present: GattLink,
        at now: MonotonicTime,
        _ effects: inout EffectList
    ) {
        switch event {
        case .connected: lose(.linkLost, to: .connected(since: now, isShared: false), present, &effects)
        case .sharedLinkConnected:
            lose(.linkLost, to: .connected(since: now, isShared: true), present, &effects)
        case .servicesResolved(let found): servicesResolved(found, present, &effects)
        case .notificationsEnabled(let input):
            var next = present
            next.notificationsEnabled(input, at: now, &effects)
            link = .gatt(next)
        case .notificationsFailed(let input, let reason):
            var next = present
            next.notificationsFailed(input, reason, at: now, &effects)
            link = .gatt(next)
        case .fenceAnswered(let input, let answer): fenceAnswered(input, answer, at: now)
        case .notificationsStopped(let input):
            if present[input].phase != .connecting { reopen(present, present.found, &effects) }
        case .servicesGone:
            switch present.state {
            case .away, .leaving: break
            case .connected, .open, .unused:
                lose(.linkLost, to: .connected(since: now, isShared: present.isShared), present, &effects)
            }
        case .disconnected(let cause):
            var remark: String?
            if case .leaving(let reason, since: _) = present.state { remark = reason }
            lose(cause, to: .away(remark: remark), present, &effects)
        case .bluetoothLost:
            lose(.linkLost, to: .away(remark: "Bluetooth is off or not running"), present, &effects)
        case .valueNotified, .valueSeen, .opened, .closed, .unavailable, .bytesReceived, .advertised,
            .keyPressed,
            .keyReleased, .keyResynchronised, .eventsLost, .plugChanged, .deviceRemoved, .began, .refused,
            .transmissionEnded, .coreLost, .gateChanged, .renamed, .batteryChanged, .adviceChanged,
            .timerFired:
            break
        }
    }

    private mutating func servicesResolved(
        _ found: Set<Int>,
        _ present: GattLink,
        _ effects: inout EffectList
    ) {
        if case .leaving = present.state { return }
        guard !found.isEmpty else {
            let reason =
                "it has no \(definition.name) button"
            return lose(.linkLost, to: .unused(reason: reason), present, &effects)
        }
        switch present.state {
        case .away, .connected, .unused:
            // Values that came before still report the level.
            var next = present
            next.open(found, &effects)
            link = .gatt(next)
        case .open: if present.found != found { reopen(present, found, &effects) }
        case .leaving: break
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
            keys.remove()
            lose(.deviceRemoved, to: .keys(keys), &effects)
        } else if event == .plugChanged {
            keys.plugChanged(at: now)
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
        _ effects: inout EffectList,
        as link: (StreamLink) -> Link
    ) {
        var stream = present
        switch event {
        case .opened:
            stream.opened(at: now)
            lose(.linkLost, to: link(stream), &effects)
        case .closed(let cause):
            stream.closed()
            lose(cause, to: link(stream), &effects)
        case .unavailable(let reason):
            stream.failed(reason)
            self.link = link(stream)
        case .bluetoothLost:
            stream.closed(remark: "Bluetooth is off or not running")
            lose(.linkLost, to: link(stream), &effects)
        case .connected, .sharedLinkConnected, .servicesResolved, .notificationsEnabled, .notificationsFailed,
            .fenceAnswered, .notificationsStopped, .servicesGone, .disconnected, .valueNotified, .valueSeen,
            .bytesReceived, .advertised, .keyPressed,
            .keyReleased, .keyResynchronised, .eventsLost, .plugChanged, .deviceRemoved, .began, .refused,
            .transmissionEnded, .coreLost, .gateChanged, .renamed, .batteryChanged, .adviceChanged,
            .timerFired:
            break
        }
    }

    /// Ends everything, because the connection to the accessory is lost; the levels become unknown.
    private mutating func lose(_ cause: EndCause, to link: Link, _ effects: inout EffectList) {
        let pressed = buttons.pressed
        gesture.loseAll(cause, &effects)
        gesture.forgetAwaitedReleases()
        buttons.forget()
        self.link = link
        if case .keys = link { return }
        guard let role = pressed.first(where: { _ in true }) else { return }
        publish(.released, .nothing, of: role, "lost while it was pressed", &effects)
    }
}
