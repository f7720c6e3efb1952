import AccessoryCore
import AccessoryFiles
import EventLoop
import Input
import Logging
import PTTMessages

/// All headsets, pedals and other input devices that the udev rule tags.
@EventLoop
final class Headsets {
    /// `udev/71-push-to-talk.rules` tags headsets with it, and never keyboards.
    private static let tag = "push-to-talk"

    private let receivers: Receivers
    private let enrolled: EnrolledDevices
    private let mirror: BlueZMirror
    private let files: AccessoryFolderWatch
    private var monitors: [DeviceMonitor] = []
    /// The tagged nodes, by name. Below, too, the name is that of the node.
    private(set) var nodes: [String: InputNode] = [:]
    /// The halves that ptt-keys has divided nodes in, by their own names.
    private(set) var halves: [String: InputNode] = [:]
    private var headsets: [String: WiredHeadset] = [:]
    /// Nodes that are listed without being used.
    private var listed: [String: Origin] = [:]
    /// Why a present node cannot be read.
    private var failures: [String: SystemError] = [:]
    private var isGrabbing = false
    /// True while ``Discovery`` has the serial ports, which can be opened only once.
    var isDiscovering = false {
        didSet {
            guard isDiscovering != oldValue else { return }
            for sysname in nodes.filter({ $0.value.isSerialPort }).keys.sorted() {
                if isDiscovering { failures[sysname] = nil }
                review(sysname)
            }
        }
    }
    /// Called after an input device has come, changed or gone.
    var onNodeChange: @EventLoop () -> Void = {}

    init(
        _ receivers: Receivers,
        _ enrolled: EnrolledDevices,
        _ mirror: BlueZMirror,
        _ files: AccessoryFolderWatch
    ) {
        self.receivers = receivers
        self.enrolled = enrolled
        self.mirror = mirror
        self.files = files
    }

    private var list: AccessoryList { receivers.list }

    private var log: Logger { receivers.log }

    func start() {
        for subsystem in ["input", "tty"] {
            do throws(SystemError) {
                monitors.append(
                    try DeviceMonitor(subsystem: subsystem, tag: Self.tag) { [weak self] in self?.handle($0) }
                )
            } catch {
                log.error("\(error): \(subsystem == "tty" ? "foot switches" : "headset keys") do not work")
            }
        }
    }

    /// Ends every transmission of a headset, and closes the devices.
    func close() {
        monitors = []
        for headset in headsets.values { headset.end() }
        (nodes, halves, headsets, listed) = ([:], [:], [:], [:])
    }

    /// Sets whether the keys control push-to-talk, and not a media player.
    func setGrab(_ isGrabbing: Bool) {
        self.isGrabbing = isGrabbing
        for headset in headsets.values { headset.setGrab(isGrabbing) }
    }

    /// The machine has slept. A port that was without power meanwhile has failed, or is hung up, which its
    /// driver does not tell a thread that waits for its lines (`acm_reset_resume`).
    func resumed() {
        for sysname in nodes.filter({ $0.value.isSerialPort }).keys.sorted() {
            failures[sysname] = nil
            end(sysname)
            review(sysname)
        }
    }

    /// Keys have got an action, or lost it, also because a device is learned meanwhile.
    func actionsChanged() { setGrab(isGrabbing) }

    /// The enrolled devices, the one that is being enrolled, or the accessory files have changed.
    func reviewDevices() {
        for sysname in nodes.keys.sorted() { review(sysname) }
    }

    /// A Bluetooth device was connected, disconnected or renamed, or bluetoothd has stopped: the keys of that
    /// device may have lost their link, and a remote control may be known now, or be ambiguous.
    func bluetoothChanged() {
        for sysname in nodes.filter({ $0.value.isBluetooth }).keys.sorted() { review(sysname) }
    }

    var hosts: [AccessoryHost] { headsets.values.map(\.host) }

    func handle(_ event: InputDeviceEvent) {
        switch event {
        case .present(let node): set(node, of: node)
        case .removed(let node): set(nil, of: node)
        }
    }

    /// `present` is nil if the node was removed.
    private func set(_ present: InputNode?, of node: InputNode) {
        defer { onNodeChange() }
        if present == nil { failures[node.sysname] = nil }
        if let half = node.half {
            halves[node.sysname] = present
            review(half.of)
        } else {
            nodes[node.sysname] = present
            review(node.sysname)
        }
    }

    /// A source was removed, or cannot be read although it is there: then it is not tried again.
    func lost(_ source: InputNode, _ error: SystemError?) {
        guard let error else { return set(nil, of: source) }
        log.notice("\(error): its switch does not work")
        failures[source.sysname] = error
        review(source.sysname)
    }

    /// Opens, closes or lists a device as its node demands. If ptt-keys has divided it, the halves with its
    /// keys are read in place of the node, of which no key arrives any more.
    private func review(_ sysname: String) {
        guard let node = nodes[sysname] else { return end(sysname) }
        let link = mirror.objects.link(of: node)
        let owner = owner(of: node, link)
        if let failure = failures[sysname] {
            return leave(node, owner.origin, "\(failure); to try again, run `pttctl pair`")
        }
        switch node.use(files.catalog, owner.consent) {
        case .used(let settings):
            let sources = node.sources(of: settings.definition.keys, among: halves.values)
            if let source = sources.first(where: { !$0.isReadable }) {
                // Only the active session of the seat has access. The kernel would let us continue to read,
                // but the person at the seat now must not transmit in our channel.
                return leave(
                    node,
                    owner.origin,
                    "your session may not read \(source.devnode) unless it is the active one of the seat"
                )
            }
            guard !node.isSerialPort || !isDiscovering else {
                return leave(node, owner.origin, "`pttctl pair` listens to it")
            }
            open(node, sources, owner.origin, settings, link)
        case .unused(let reason): leave(node, owner.origin, reason)
        case .ignored: end(sysname)
        }
    }

    private func open(
        _ node: InputNode,
        _ sources: [InputNode],
        _ origin: Origin,
        _ settings: InputSettings,
        _ link: InputLink
    ) {
        let sysname = node.sysname
        if let headset = headsets[sysname] {
            let isSame =
                headset.sources.map(\.sysname) == sources.map(\.sysname) && headset.origin == origin
            if isSame, headset.settings == settings, headset.link == link { return }
        }
        end(sysname)
        do throws(SystemError) {
            let headset = try WiredHeadset(
                sources,
                origin: origin,
                settings: settings,
                isGranted: node.grantedKey != nil,
                link: link,
                keepAlive: mirror.keepAlive,
                receivers
            ) { [weak self] in self?.lost($0, $1) }
            headsets[sysname] = headset
            headset.setGrab(isGrabbing)
            let devnodes = sources.map(\.devnode).joined(separator: ", ")
            log.notice("\(node.name) (\(devnodes)) is used as \(settings.definition.name)")
        } catch {
            log.error("\(error): its key does not work")
            leave(node, origin, "\(error)")
        }
    }

    /// Closes it, and lists it with the reason.
    private func leave(_ node: InputNode, _ origin: Origin, _ reason: String) {
        headsets.removeValue(forKey: node.sysname)?.end()
        if let before = listed.updateValue(origin, forKey: node.sysname), before != origin {
            list.remove(before)
        }
        list.set(origin.unused(reason, mode: .toggle))
    }

    /// Closes it, and lists it no more.
    private func end(_ sysname: String) {
        headsets.removeValue(forKey: sysname)?.end()
        if let origin = listed.removeValue(forKey: sysname) { list.remove(origin) }
    }

    /// The accessory whose presses a node reports, and whether they count.
    func owner(of node: InputNode) -> (origin: Origin, consent: InputConsent) {
        owner(of: node, mirror.objects.link(of: node))
    }

    private func owner(of node: InputNode, _ link: InputLink) -> (origin: Origin, consent: InputConsent) {
        // A remote control is enrolled and listed as the Bluetooth device that it belongs to.
        let isRemoteControl = node.transport == .avrcp
        var device: BlueZDevice?
        if isRemoteControl, case .up(let path) = link { device = mirror.objects.devices[path] }
        let identity =
            isRemoteControl ? device.map { DeviceIdentity(bluetoothAddress: $0.address) } : node.identity
        let use = identity.flatMap { enrolled.use(of: $0) }
        let origin = node.origin(named: use?.enrolment.name, identifier: device?.address)
        if case .down(let reason) = link { return (origin, .missing(reason: reason)) }
        guard let use else {
            guard isRemoteControl || node.needsEnrolment else { return (origin, .given()) }
            let address = device?.address ?? identity?.text ?? node.stableIdentifier
            return (origin, .missing(reason: enrolled.remark(notEnrolled: address)))
        }
        if use.permission == .given, let device, let other = fileWithoutKeys(of: device, use.enrolment) {
            return (origin, .missing(reason: "its buttons are used as \(other.name), not its media keys"))
        }
        return (origin, .given(use.enrolment, permission: use.permission))
    }

    /// A microphone with buttons of its own has media keys as well, which in-ear detection may press.
    private func fileWithoutKeys(of device: BlueZDevice, _ enrolment: Enrolment) -> AccessoryDefinition? {
        let chosen =
            enrolment.accessory.map { files.catalog[$0].map { [$0] } ?? [] }
            ?? files.catalog.ranked(for: device.description())
        return chosen.first { $0.keys.isEmpty }
    }
}
