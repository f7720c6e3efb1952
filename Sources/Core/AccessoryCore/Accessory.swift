package import PTTMessages

/// One accessory: a Bluetooth button, with a link or by its advertisements, a serial microphone or the keys
/// of an input device.
///
/// *Link* knows whether its presses can be received, the decoders of ``AccessoryDefinition`` what its
/// messages mean, *Buttons* which buttons are down, *Gesture* what a press does.
///
/// **A transmission begins only with a press that was observed as it happened, and ends with every loss.**
/// Whatever was lost in between, a button must be observed as released and then as pressed.
package struct Accessory: Sendable {
    enum Link: Sendable {
        case gatt(GattLink)
        /// A serial port, or advertisements.
        case stream(StreamLink)
        case keys(KeyLink)
    }

    package let definition: AccessoryDefinition
    package private(set) var origin: Origin
    package private(set) var permission: Permission
    /// True if the core transmits for it. Stored: a shell asks with each event, and a computed property of a
    /// value in another module is called with a copy of the whole value.
    package private(set) var isTransmitting = false
    let roles: InputRoles
    var link: Link
    /// Of a serial port.
    var scanner: TokenScanner?
    /// Of advertisements.
    var sequence: BTHome.Sequence
    var buttons = Buttons()
    var gesture: Gesture
    var battery: Int?
    /// Advice on what a person should do about its link.
    package private(set) var advice: String?
    var lastPress: (role: ButtonRole, time: MonotonicTime)?
    /// The time to which the shell's timer is set.
    private var timer: MonotonicTime?

    /// - Parameters:
    ///   - definition: The way in which it reports presses.
    ///   - origin: The origin of its presses.
    ///   - mode: Nil: that of the definition. A button that never reports its release toggles in any case.
    ///   - replaced: Buttons that take the role of another one.
    ///   - permission: Given if its presses count.
    ///   - counter: Of advertisements: that of the last encrypted one that an earlier run has received.
    package init(
        _ definition: AccessoryDefinition,
        origin: Origin,
        mode: ButtonMode? = nil,
        roles replaced: [ButtonRole: ButtonRole] = [:],
        permission: Permission = .given,
        counter: UInt32? = nil
    ) {
        self.definition = definition
        self.origin = origin
        self.permission = permission
        sequence = BTHome.Sequence(counter: counter)
        let roles = InputRoles(of: definition.input, replacing: replaced)
        self.roles = roles
        let canHold = roles.levels.contains(.talk) || !roles.all.contains(.talk)
        let wanted = mode ?? definition.gesture.mode ?? .hold
        gesture = Gesture(mode: canHold ? wanted : .toggle, settings: definition.gesture)
        switch definition.input {
        case .gatt(let inputs): link = .gatt(GattLink(inputs: inputs.count))
        case .serial(let input):
            link = .stream(.closed(remark: nil))
            scanner = TokenScanner(input.tokens)
        case .advertisements: link = .stream(.closed(remark: nil))
        case .keys:
            link = .keys(KeyLink())
            buttons.assumeReleased(roles.all)
        }
    }

    /// The counter of the last encrypted advertisement, which no later one may fall below; nil without one.
    package var counter: UInt32? { sequence.counter }

    /// Handles an event. Its time never decreases from event to event; for a key, it is the kernel's
    /// timestamp.
    ///
    /// - Returns: The orders to the shell, in this order.
    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        let before = listing
        if case .timerFired = event { timer = nil }
        var effects = EffectList()
        transition(event, at: now, &effects)
        isTransmitting = gesture.attempt?.transmission != nil
        let deadline = deadline
        if deadline != timer {
            timer = deadline
            effects.append(deadline.map { .setTimer($0) } ?? .cancelTimer)
        }
        if listing != before {
            effects.append(.publish(AccessoryEvent(.deviceChanged, device: device)))
        }
        return effects.effects
    }

    private var deadline: MonotonicTime? {
        switch link {
        case .gatt(let link): earlier(link.deadline, gesture.deadline)
        case .stream(let link): earlier(link.deadline, gesture.deadline)
        case .keys(let link): link.isRemoved ? nil : gesture.deadline
        }
    }

    private mutating func transition(_ event: Event, at now: MonotonicTime, _ effects: inout EffectList) {
        switch event {
        case .gatt(let event): gattChanged(event, at: now, &effects)
        case .stream(let event): streamChanged(event, at: now, &effects)
        case .keys(let event): keysChanged(event, at: now, &effects)
        case .began(let transmission, let attempt): gesture.began(transmission, attempt, &effects)
        case .refused(let code, let attempt): gesture.refused(code, attempt, buttons, &effects)
        case .transmissionEnded(let transmission, let cause):
            gesture.transmissionEnded(transmission, cause, buttons, &effects)
        case .coreLost: gesture.coreLost()
        case .permissionChanged(let permission): permissionChanged(permission, &effects)
        case .renamed(let name):
            origin = Origin(kind: origin.kind, identifier: origin.identifier, name: name)
        case .batteryChanged(let percent): battery = percent
        case .adviceChanged(let text): advice = text
        case .timerFired: timerFired(at: now, &effects)
        }
    }

    /// A press that is already held when the permission is given is not a press.
    private mutating func permissionChanged(_ permission: Permission, _ effects: inout EffectList) {
        self.permission = permission
        guard case .withheld(reason: _, let cause) = permission else { return }
        gesture.loseAll(cause, &effects)
        gesture.awaitedReleases = RoleSet()
        buttons.discountPresses()
    }

    private mutating func timerFired(at now: MonotonicTime, _ effects: inout EffectList) {
        switch link {
        case .gatt(var gatt):
            let ready = gatt.timerFired(at: now, &effects)
            link = .gatt(gatt)
            for input in ready { buttons.assumeReleased(roles.roles(of: input)) }
        case .stream: settleStream(at: now)
        case .keys: break
        }
        gesture.unlock(at: now)
        while let touch = gesture.nextLongTouch(at: now) {
            var report = Report(sample: touch.sample, input: 0, time: now, phase: .ready)
            let verdict = gesture.counts(touch.role, since: touch.since, at: now, &effects)
            publish(verdict, .pressed, touch.role, &report, &effects)
        }
        while let role = gesture.nextExpiredHold(at: now) { expire(role, at: now, &effects) }
    }
}
