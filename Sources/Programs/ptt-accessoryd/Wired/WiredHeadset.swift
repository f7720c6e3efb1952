import AccessoryCore
import EventLoop
import Input
import Logging
import PTTMessages
import ServiceClient

/// One headset, pedal or other input device: its node, whose events go to its machine.
@EventLoop
final class WiredHeadset {
    let host: AccessoryHost
    private let receivers: Receivers
    private let lost: @EventLoop (SystemError?) -> Void
    private var device: (any KeySource)?
    private let hasOnlyTalkKeys: Bool
    private var wantsGrab = false
    /// Another program has grabbed it. As soon as that program lets go, its keys arrive here, and the grab is
    /// tried again.
    private var isGrabRefused = false
    /// The node that is read: that of the device, or of the half with its key.
    let source: InputNode
    let settings: InputSettings
    /// The link over which its keys come.
    let link: InputLink

    /// Opens the source.
    ///
    /// - Parameters:
    ///   - source: The node to read: that of the device, or of the half with its key.
    ///   - origin: The origin of its presses.
    ///   - settings: What its keys mean, and whether they count.
    ///   - isGranted: Whether only the one key of the settings may be read.
    ///   - link: The link over which its keys come.
    ///   - keepAlive: Checks bluetoothd while the release has to come over that link.
    ///   - receivers: Who hears of it.
    ///   - lost: Called when the source was removed, or with the reason why it cannot be read.
    /// - Throws: The errors of ``KeyDevice``, ``SingleKeyDevice`` or ``SerialSwitch``.
    init(
        _ source: InputNode,
        origin: Origin,
        settings: InputSettings,
        isGranted: Bool,
        link: InputLink,
        keepAlive: BlueZKeepAlive,
        _ receivers: Receivers,
        lost: @escaping @EventLoop (SystemError?) -> Void
    ) throws(SystemError) {
        host = AccessoryHost(
            settings.definition,
            origin: origin,
            enrolment: settings.enrolment,
            gate: settings.gate,
            receivers
        )
        self.receivers = receivers
        self.lost = lost
        self.source = source
        self.settings = settings
        self.link = link
        let keys = Set(settings.definition.keys.map { KeyCode(rawValue: $0) })
        let isTalkHalf = source.half?.part == .few
        hasOnlyTalkKeys = isTalkHalf || !source.hasAxes && source.keys.isSubset(of: keys)
        // That half of a divided pedal has no other key, and can be grabbed.
        if isGranted, !isTalkHalf, let key = keys.first {
            device = try SingleKeyDevice(source, key: key) { [weak self] in self?.handle($0) }
        } else {
            device = try source.keySource(keys) { [weak self] in self?.handle($0) }
        }
        if case .up(let path) = link {
            host.activityChanged = { [keepAlive] in keepAlive.set($0, for: path) }
        }
        receivers.list.set(host.accessory.device)
    }

    var origin: Origin { host.accessory.origin }

    /// Grabs the key, so that no media player receives it, while presses begin transmissions, and always if
    /// one of them runs an action.
    ///
    /// The kernel grabs all keys of a node or none: a headset that also has volume keys is not grabbed,
    /// unless ptt-keys has divided it.
    func setGrab(_ isWanted: Bool) {
        guard hasOnlyTalkKeys else { return }
        wantsGrab = isWanted || host.runsActions
        if wantsGrab { device?.grab() } else { device?.ungrab() }
    }

    /// Ends its transmission, and closes the device.
    func end() {
        host.handle(.deviceRemoved)
        host.end()
        device?.close()
        device = nil
        receivers.list.remove(origin)
    }

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event): received(event)
        case .jackChanged: host.handle(.plugChanged)
        case .eventsLost: host.handle(.eventsLost)
        case .grabbed:
            isGrabRefused = false
            receivers.log.debug("\(origin.name): its keys are grabbed")
        case .grabRefused(let error):
            if !isGrabRefused {
                receivers.log.warning("\(error): a media player may react to its key as well")
            }
            isGrabRefused = true
        case .vanished: lost(nil)
        case .failed(let error): lost(error)
        }
    }

    private func received(_ event: KeyEvent) {
        let isPressed = event.edge == .pressed
        if isGrabRefused, wantsGrab, !isPressed { device?.grab() }
        let code = event.key.rawValue
        if event.isResynchronised {
            host.handle(.keyResynchronised(code, isPressed: isPressed))
        } else {
            host.handle(
                isPressed ? .keyPressed(code) : .keyReleased(code),
                at: MonotonicTime(nanoseconds: event.time.nanoseconds)
            )
        }
    }
}

extension InputNode {
    /// Opens it for some of its keys.
    @EventLoop
    func keySource(
        _ keys: Set<KeyCode>,
        handler: @escaping @EventLoop (KeyDeviceEvent) -> Void
    ) throws(SystemError) -> any KeySource {
        isSerialPort
            ? try SerialSwitch(self, keys: keys, handler: handler)
            : try KeyDevice(self, keys: keys, handler: handler)
    }
}
