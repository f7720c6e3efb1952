import AccessoryCore
import EventLoop
import Input
import Logging
import PTTMessages
import ServiceClient

/// One headset: passes its events to its ``Accessory``, and performs the effects.
@EventLoop
final class Headset {
    private let core: CoreConnection
    private let list: AccessoryList
    private let log: Logger
    private let vanished: @EventLoop () -> Void
    private var accessory: Accessory
    private var device: (any KeySource)?
    private let hasOnlyTalkKeys: Bool
    private var wantsGrab = false
    /// Another program has grabbed it. As soon as that program lets go, its keys arrive here, and the grab is tried again.
    private var isGrabRefused = false
    /// The node that is read: that of the device, or of the half with its talk key.
    let source: InputNode
    let settings: InputSettings
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }

    /// Opens the source.
    ///
    /// - Parameters:
    ///   - source: The node to read: that of the device, or the half with its talk key.
    ///   - origin: The origin of its presses.
    ///   - settings: What its keys mean, and whether they count.
    ///   - isGranted: Whether only the one key of the settings may be read.
    ///   - core: Receives its presses.
    ///   - list: Lists it.
    ///   - log: For refused grabs.
    ///   - vanished: Called when the source was removed.
    /// - Throws: The errors of ``KeyDevice`` or ``SingleKeyDevice``.
    init(
        _ source: InputNode,
        origin: Origin,
        settings: InputSettings,
        isGranted: Bool,
        core: CoreConnection,
        list: AccessoryList,
        log: Logger,
        vanished: @escaping @EventLoop () -> Void
    ) throws(SystemError) {
        self.core = core
        self.list = list
        self.log = log
        self.vanished = vanished
        self.source = source
        self.settings = settings
        accessory = Accessory(
            settings.definition,
            origin: origin,
            mode: settings.enrolment?.mode,
            roles: settings.enrolment?.roles ?? [:],
            gate: settings.gate
        )
        let keys = Set(settings.definition.keys.map { KeyCode(rawValue: $0) })
        hasOnlyTalkKeys =
            source.half != nil || source.keys == KeyBits(keys.filter { source.keys.contains($0) })
        // The half of a divided pedal has no other key, and can be grabbed.
        if isGranted, source.half == nil, let key = keys.first {
            device = try SingleKeyDevice(source, key: key) { [weak self] in self?.handle($0) }
        } else {
            let device = try KeyDevice(source, keys: keys) { [weak self] in self?.handle($0) }
            self.device = device
        }
        list.set(accessory.device)
    }

    var origin: Origin { accessory.origin }

    /// Grabs the key, so that no media player receives it, while a channel is joined whose presses begin transmissions.
    ///
    /// The kernel grabs all keys of a node or none: a headset that also has volume keys is not grabbed, unless ptt-keys has
    /// divided it.
    func setGrab(_ isWanted: Bool) {
        guard hasOnlyTalkKeys else { return }
        wantsGrab = isWanted
        if isWanted { device?.grab() } else { device?.ungrab() }
    }

    func coreLost() {
        handle(.coreLost)
    }

    func transmissionEnded(_ transmissionID: TransmissionID, _ cause: EndCause) {
        handle(.transmissionEnded(transmissionID, cause))
    }

    /// Ends its transmission, and closes the device.
    func end() {
        handle(.deviceRemoved)
        timer.disarm()
        device?.close()
        device = nil
        list.remove(accessory.origin)
    }

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event): received(event)
        case .jackChanged: handle(.plugChanged)
        case .eventsLost: handle(.eventsLost)
        case .grabbed:
            isGrabRefused = false
            log.debug("\(accessory.origin.name): its keys are grabbed")
        case .grabRefused(let error):
            if !isGrabRefused { log.warning("\(error): a media player may react to its key as well") }
            isGrabRefused = true
        case .vanished: vanished()
        }
    }

    private func received(_ event: KeyEvent) {
        let isPressed = event.edge == .pressed
        if isGrabRefused, wantsGrab, !isPressed { device?.grab() }
        let code = event.key.rawValue
        if event.isResynchronised {
            handle(.keyResynchronised(code, isPressed: isPressed))
        } else {
            handle(
                isPressed ? .keyPressed(code) : .keyReleased(code),
                at: MonotonicTime(nanoseconds: event.time.nanoseconds)
            )
        }
    }

    private func handle(_ event: Accessory.Event, at time: MonotonicTime = .now) {
        for effect in accessory.handle(event, at: time) { perform(effect) }
    }

    private func perform(_ effect: Accessory.Effect) {
        switch effect {
        case .begin(let attempt, let role): begin(attempt, role)
        case .end(let cause, let role): core.end(accessory.origin, cause, role: role)
        case .letGo(let role): core.end(accessory.origin, .released, role: role)
        case .report(let role, let isPressed): report(role, isPressed: isPressed)
        // Only for the links of Bluetooth buttons.
        case .subscribe, .fence, .disconnect: break
        case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
        case .cancelTimer: timer.disarm()
        case .publish(let event): list.publish(event)
        }
    }

    private func report(_ role: ButtonRole, isPressed: Bool) {
        core.report(accessory.origin, role: role, isPressed: isPressed) { [weak self] reason in
            guard let self else { return }
            let remark = "not reported: \(reason)"
            list.publish(AccessoryEvent(.ignored, device: accessory.device, role: role, remark: remark))
        }
    }

    private func begin(_ attempt: AttemptID, _ role: ButtonRole) {
        core.begin(accessory.origin, role: role) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let transmissionID): handle(.began(transmissionID, attempt))
            case .failure(let refusal):
                handle(.refused(refusal.code, attempt))
                list.publish(
                    AccessoryEvent(.ignored, device: accessory.device, remark: "not transmitting: \(refusal)")
                )
            }
        }
    }
}
