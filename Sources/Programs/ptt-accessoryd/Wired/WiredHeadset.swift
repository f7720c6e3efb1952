import AccessoryCore
import EventLoop
import Input
import Logging
import PTTMessages
import ServiceClient

/// One headset, pedal or other input device: its nodes, whose events go to its machine.
@EventLoop
final class WiredHeadset {
    let host: AccessoryHost
    private let receivers: Receivers
    private let lost: @EventLoop (InputNode, SystemError?) -> Void
    private var devices: [any KeySource] = []
    /// The sources that have talk keys only.
    private var exclusive: [any KeySource] = []
    private var wantsGrab = false
    /// Another program has grabbed it, which has been logged.
    private var isGrabRefused = false
    /// The nodes that are read: that of the device, or of the halves with its keys.
    let sources: [InputNode]
    let settings: InputSettings
    /// The link over which its keys come.
    let link: InputLink

    /// Opens the sources, of which only the one key of the settings may be read if `isGranted`. `keepAlive`
    /// checks bluetoothd while the release has to come over the link. `lost` is called when a source was
    /// removed, or with the reason why it cannot be read.
    ///
    /// - Throws: The errors of ``KeyDevice``, ``SingleKeyDevice`` or ``SerialSwitch``.
    init(
        _ sources: [InputNode],
        origin: Origin,
        settings: InputSettings,
        isGranted: Bool,
        link: InputLink,
        keepAlive: BlueZKeepAlive,
        _ receivers: Receivers,
        lost: @escaping @EventLoop (InputNode, SystemError?) -> Void
    ) throws(SystemError) {
        host = AccessoryHost(
            settings.definition,
            origin: origin,
            enrolment: settings.enrolment,
            permission: settings.permission,
            receivers
        )
        self.receivers = receivers
        self.lost = lost
        self.sources = sources
        self.settings = settings
        self.link = link
        let keys = Set(settings.definition.keys.map { KeyCode(rawValue: $0) })
        for source in sources { try open(source, keys, isGranted: isGranted) }
        if case .up(let path) = link {
            host.activityChanged = { [keepAlive] in keepAlive.set($0, for: path) }
        }
        receivers.list.set(host.accessory.device)
    }

    var origin: Origin { host.accessory.origin }

    private func open(
        _ source: InputNode,
        _ keys: Set<KeyCode>,
        isGranted: Bool
    ) throws(SystemError) {
        let device: any KeySource
        let isTalkHalf = source.half?.part == .few
        // The talk half of a divided pedal has no other key, and can be grabbed.
        if isGranted, !isTalkHalf, let key = keys.first {
            device = try SingleKeyDevice(source, key: key) { [weak self] in self?.handle($0, of: source) }
        } else {
            device = try source.keySource(keys) { [weak self] in self?.handle($0, of: source) }
        }
        devices.append(device)
        if isTalkHalf || !source.hasAxes && source.keys.isSubset(of: keys) { exclusive.append(device) }
    }

    /// Grabs the key, so that no media player receives it, while presses begin transmissions, and always if
    /// one of them runs an action.
    ///
    /// The kernel grabs all keys of a node or none: a headset that also has volume keys is not grabbed,
    /// unless ptt-keys has divided it.
    func setGrab(_ isWanted: Bool) {
        wantsGrab = isWanted || host.runsActions
        for device in exclusive {
            if wantsGrab { device.grab() } else { device.ungrab() }
        }
    }

    /// Ends its transmission, and closes the device.
    func end() {
        host.handle(.keys(.deviceRemoved))
        host.end()
        for device in devices { device.close() }
        (devices, exclusive) = ([], [])
        receivers.list.remove(origin)
    }

    private func handle(_ event: KeyDeviceEvent, of source: InputNode) {
        switch event {
        case .key(let event): received(event)
        case .jackChanged: host.handle(.keys(.plugChanged))
        case .eventsLost: host.handle(.keys(.eventsLost))
        case .grabbed:
            isGrabRefused = false
            receivers.log.debug("\(origin.name): its keys are grabbed")
        case .grabRefused(let error):
            if !isGrabRefused {
                receivers.log.warning("\(error): a media player may react to its key as well")
            }
            isGrabRefused = true
        case .vanished: lost(source, nil)
        case .failed(let error): lost(source, error)
        }
    }

    private func received(_ event: KeyEvent) {
        let isPressed = event.edge == .pressed
        // Of a grab that was refused: the other program has let go, because the key arrives here.
        if wantsGrab, !isPressed { for device in exclusive { device.grab() } }
        let code = event.key.rawValue
        if event.isResynchronised {
            host.handle(.keys(.resynchronised(code, isPressed: isPressed)))
        } else {
            host.handle(
                .keys(isPressed ? .pressed(code) : .released(code)),
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
