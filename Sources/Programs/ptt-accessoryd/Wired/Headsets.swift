import AccessoryCore
import EventLoop
import Input
import Logging
import PTTMessages

/// All headsets, pedals and other input devices that the udev rule tags.
@EventLoop
final class Headsets {
    /// `udev/71-push-to-talk.rules` tags headsets with it, and never keyboards.
    private static let tag = "push-to-talk"

    private let core: PressForwarder
    private let list: AccessoryList
    private let enrolled: EnrolledDevices
    private let mirror: BlueZMirror
    private let log: Logger
    private var catalog: AccessoryCatalog
    private var monitor: DeviceMonitor?
    /// The tagged nodes, by name. Below, too, the name is that of the node.
    private var nodes: [String: InputNode] = [:]
    /// The half with the talk key of a node that ptt-keys has divided.
    private var halves: [String: InputNode] = [:]
    private var headsets: [String: WiredHeadset] = [:]
    /// Nodes that are listed without being used.
    private var listed: [String: Origin] = [:]
    private var isGrabbing = false
    /// Called after an input device has come, changed or gone.
    var onNodeChange: @EventLoop () -> Void = {}

    init(
        core: PressForwarder,
        list: AccessoryList,
        enrolled: EnrolledDevices,
        mirror: BlueZMirror,
        catalog: AccessoryCatalog,
        log: Logger
    ) {
        self.core = core
        self.list = list
        self.enrolled = enrolled
        self.mirror = mirror
        self.catalog = catalog
        self.log = log
    }

    func start() {
        do throws(SystemError) {
            let monitor = try DeviceMonitor(subsystem: "input", tag: Self.tag)
            self.monitor = monitor
            try monitor.start { [weak self] event in self?.handle(event) }
        } catch {
            log.error("\(error): headset keys do not work")
        }
    }

    /// Ends every transmission of a headset, and closes the devices.
    func close() {
        monitor?.stop()
        monitor = nil
        for headset in headsets.values { headset.end() }
        (nodes, halves, headsets, listed) = ([:], [:], [:], [:])
    }

    /// Sets whether the keys control push-to-talk, and not a media player.
    func setGrab(_ isGrabbing: Bool) {
        self.isGrabbing = isGrabbing
        for headset in headsets.values { headset.setGrab(isGrabbing) }
    }

    /// The accessory files have changed.
    func catalogChanged(_ catalog: AccessoryCatalog) {
        self.catalog = catalog
        for sysname in nodes.keys.sorted() { review(sysname) }
    }

    /// Keys have got an action, or lost it.
    func actionsChanged() { setGrab(isGrabbing) }

    /// The enrolled devices, or the one that is being enrolled, have changed.
    func enrolmentChanged() {
        for sysname in nodes.keys.sorted() { review(sysname) }
    }

    /// A Bluetooth device was connected, disconnected or renamed, or bluetoothd has stopped: the keys of that
    /// device may have lost their link, and a remote control may be known now, or be ambiguous.
    func bluetoothChanged() {
        for sysname in nodes.filter({ $0.value.isBluetooth }).keys.sorted() { review(sysname) }
    }

    func coreLost() {
        for headset in headsets.values { headset.host.handle(.coreLost) }
        setGrab(false)
    }

    func transmissionEnded(_ transmissionID: TransmissionID, _ cause: EndCause) {
        for headset in headsets.values { headset.host.transmissionEnded(transmissionID, cause) }
    }

    private func handle(_ event: InputDeviceEvent) {
        switch event {
        case .added(let node), .changed(let node): set(node, of: node)
        case .removed(let node): set(nil, of: node)
        }
    }

    /// - Parameters:
    ///   - present: The node, or nil if it was removed.
    ///   - node: The node as it was reported.
    private func set(_ present: InputNode?, of node: InputNode) {
        defer { onNodeChange() }
        guard let half = node.half else {
            nodes[node.sysname] = present
            return review(node.sysname)
        }
        guard half.part == .few else { return }
        halves[half.of] = present
        review(half.of)
    }

    /// Opens, closes or lists a device as its node demands. If ptt-keys has divided it, the half with the
    /// talk key is read in place of the node, of which no key arrives any more.
    private func review(_ sysname: String) {
        guard let node = nodes[sysname] else { return end(sysname) }
        let link = mirror.objects.link(of: node)
        let owner = owner(of: node, link)
        switch node.use(catalog, owner.consent) {
        case .used(let settings):
            let source = halves[sysname] ?? node
            guard source.isReadable else {
                // Only the active session of the seat has access. The kernel would let us continue to read,
                // but the person at the seat now must not transmit in our channel.
                return leave(
                    node,
                    owner.origin,
                    "your session may not read \(source.devnode) unless it is the active one of the seat"
                )
            }
            open(node, source, owner.origin, settings, link)
        case .unused(let reason): leave(node, owner.origin, reason)
        case .ignored: end(sysname)
        }
    }

    private func open(
        _ node: InputNode,
        _ source: InputNode,
        _ origin: Origin,
        _ settings: InputSettings,
        _ link: InputLink
    ) {
        let sysname = node.sysname
        if let headset = headsets[sysname] {
            let isSame = headset.source.sysname == source.sysname && headset.origin == origin
            if isSame, headset.settings == settings, headset.link == link { return }
        }
        end(sysname)
        do throws(SystemError) {
            let headset = try WiredHeadset(
                source,
                origin: origin,
                settings: settings,
                isGranted: node.grantedKey != nil,
                link: link,
                keepAlive: mirror.keepAlive,
                core: core,
                list: list,
                log: log
            ) { [weak self] in self?.set(nil, of: source) }
            headsets[sysname] = headset
            headset.setGrab(isGrabbing)
            log.notice("\(node.name) (\(source.devnode)) is used as \(settings.definition.name)")
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

    /// The description of a device, by the identifier that it is listed with, or by its name.
    func description(of identifier: String) -> DeviceDescription? {
        let sorted = nodes.values.sorted { $0.sysname < $1.sysname }
        let found =
            sorted.first { owner(of: $0).origin.identifier == identifier }
            ?? sorted.first { [$0.name, owner(of: $0).origin.name].contains(identifier) }
        return found?.deviceDescription
    }

    /// An input device that can be learned.
    struct Accessory: Equatable {
        /// The node that is read.
        let source: InputNode
        /// The identity that it is enrolled by.
        let identity: DeviceIdentity
        let name: String
    }

    /// The devices with keys that a person can hold and choose among: joysticks, USB headsets, the sound
    /// interfaces of radios. Not jacks, whose key short-circuits the microphone.
    var withHeldKeys: [Accessory] {
        nodes.values.filter { $0.hasHeldKeys && $0.isReadable }
            .sorted { $0.sysname < $1.sysname }
            .compactMap { node in
                node.identity.map { .init(source: node, identity: $0, name: owner(of: node).origin.name) }
            }
    }

    /// - Parameter identifier: What it is listed with; for the keys of a Bluetooth device its address.
    /// - Returns: Nil if there is no such device, or it calls itself a keyboard.
    func accessory(_ identifier: String) -> Accessory? {
        for node in nodes.values.sorted(by: { $0.sysname < $1.sysname }) where !node.isKeyboardLike {
            let origin = owner(of: node).origin
            let address = DeviceIdentity(bluetoothAddress: identifier)
            let identity =
                node.transport == .avrcp ? DeviceIdentity(bluetoothAddress: origin.identifier) : node.identity
            guard let identity, origin.identifier == identifier || identity == address else { continue }
            let source = halves[node.sysname] ?? node
            return Accessory(source: source, identity: identity, name: origin.name)
        }
        return nil
    }

    /// The accessory whose presses a node reports, and whether they count.
    private func owner(of node: InputNode) -> (origin: Origin, consent: InputConsent) {
        owner(of: node, mirror.objects.link(of: node))
    }

    private func owner(of node: InputNode, _ link: InputLink) -> (origin: Origin, consent: InputConsent) {
        if node.transport == .avrcp { return remoteControlOwner(of: node, link) }
        let identity = node.identity
        let enrolment = identity.flatMap { enrolled[$0] }
        let origin = node.origin(named: enrolment?.name)
        if case .down(let reason) = link { return (origin, .missing(reason: reason)) }
        if let identity, enrolled.candidate?.identity == identity { return (origin, .candidate) }
        if let enrolment { return (origin, .enrolled(enrolment)) }
        guard node.needsEnrolment else { return (origin, .notNeeded) }
        return (
            origin, .missing(reason: enrolled.remark(notEnrolled: identity?.text ?? node.stableIdentifier))
        )
    }

    private func remoteControlOwner(of node: InputNode, _ link: InputLink) -> (
        origin: Origin, consent: InputConsent
    ) {
        guard case .up(let path) = link, let owner = mirror.objects.devices[path] else {
            var reason = "bluetoothd does not know it"
            if case .down(let cause) = link { reason = cause }
            return (node.origin(named: nil), .missing(reason: reason))
        }
        let identity = DeviceIdentity(bluetoothAddress: owner.address)
        let enrolment = enrolled[identity]
        let origin = node.origin(named: enrolment?.name, identifier: owner.address)
        if enrolled.candidate?.identity == identity { return (origin, .candidate) }
        guard let enrolment else {
            return (origin, .missing(reason: enrolled.remark(notEnrolled: owner.address)))
        }
        // A microphone with buttons of its own has media keys as well, which in-ear detection may press.
        let chosen =
            enrolment.accessory.map { catalog[$0].map { [$0] } ?? [] }
            ?? catalog.ranked(for: owner.description())
        if let other = chosen.first(where: { $0.keys.isEmpty }) {
            return (origin, .missing(reason: "its buttons are used as \(other.name), not its media keys"))
        }
        return (origin, .enrolled(enrolment))
    }
}
