import AccessoryCore
import EventLoop
import Input
import Logging
import PTTMessages
import ServiceClient

/// One headset: passes its events to its ``HeadsetKey``, and performs the effects.
@EventLoop
final class Headset {
    private let core: CoreConnection
    private let list: AccessoryList
    private let log: Logger
    private let vanished: @EventLoop () -> Void
    private var key: HeadsetKey
    private var device: (any KeySource)?
    private let hasOnlyTalkKeys: Bool
    private var wantsGrab = false
    /// Another program has grabbed it. As soon as that program lets go, its keys arrive here, and the grab is tried again.
    private var isGrabRefused = false
    /// The node that is read: that of the device, or of the half with its talk key.
    let source: InputNode
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }

    /// Opens the source.
    ///
    /// - Parameters:
    ///   - node: The device.
    ///   - source: The node to read: the same, or the half with its talk key.
    ///   - core: Receives its presses.
    ///   - list: Lists it.
    ///   - log: For refused grabs.
    ///   - vanished: Called when the source was removed.
    /// - Throws: The errors of ``KeyDevice`` or ``SingleKeyDevice``.
    init(
        _ node: InputNode,
        source: InputNode,
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
        key = HeadsetKey(origin: node.origin, contact: node.contact)
        if let granted = node.grantedKey {
            hasOnlyTalkKeys = source.half != nil
            device =
                try source.half != nil
                ? KeyDevice(source, keys: [granted]) { [weak self] in self?.handle($0) }
                : try SingleKeyDevice(source, key: granted) { [weak self] in self?.handle($0) }
        } else {
            let codes = Set(HeadsetKey.codes.map { KeyCode(rawValue: $0) })
            hasOnlyTalkKeys =
                source.half != nil || source.keys == KeyBits(codes.filter { source.keys.contains($0) })
            device = try KeyDevice(source, keys: codes) { [weak self] in self?.handle($0) }
        }
        list.set(key.device)
    }

    var origin: Origin { key.origin }

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
        list.remove(key.origin)
    }

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event): received(event)
        // The machine has no input for these yet: pulling a plug ends a transmission as unplugging a device does.
        case .jackChanged, .eventsLost: break
        case .grabbed:
            isGrabRefused = false
            log.debug("\(key.origin.name): its keys are grabbed")
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

    private func handle(_ event: HeadsetKey.Event, at time: MonotonicTime = .now) {
        for effect in key.handle(event, at: time) { perform(effect) }
    }

    private func perform(_ effect: HeadsetKey.Effect) {
        switch effect {
        case .begin: begin()
        case .end(let cause): core.end(key.origin, cause)
        case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
        case .cancelTimer: timer.disarm()
        case .publish(let event): list.publish(event)
        }
    }

    private func begin() {
        core.begin(key.origin) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let transmissionID): handle(.began(transmissionID))
            case .failure(let refusal):
                handle(.refused(refusal.code))
                list.publish(
                    AccessoryEvent(.ignored, device: key.device, remark: "not transmitting: \(refusal)")
                )
            }
        }
    }
}
