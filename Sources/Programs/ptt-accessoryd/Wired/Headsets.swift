import AccessoryCore
import EventLoop
import Input
import Logging
import PTTMessages

/// All headsets: the input devices that the udev rule tags.
@EventLoop
final class Headsets {
    /// `udev/71-push-to-talk.rules` tags headsets with it, and never keyboards.
    private static let tag = "push-to-talk"

    private let core: CoreConnection
    private let list: AccessoryList
    private let log: Logger
    private var monitor: DeviceMonitor?
    /// The tagged nodes, by name. Below, too, the name is that of the node.
    private var nodes: [String: InputNode] = [:]
    /// The half with the talk key of a node that ptt-keys has divided.
    private var halves: [String: InputNode] = [:]
    private var headsets: [String: Headset] = [:]
    /// Nodes that are listed without being used.
    private var listed: [String: Origin] = [:]
    private var ownsKeys = false

    init(core: CoreConnection, list: AccessoryList, log: Logger) {
        self.core = core
        self.list = list
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

    func channelChanged(ownsKeys: Bool) {
        self.ownsKeys = ownsKeys
        for headset in headsets.values { headset.setGrab(ownsKeys) }
    }

    func coreLost() {
        for headset in headsets.values { headset.coreLost() }
        channelChanged(ownsKeys: false)
    }

    func transmissionEnded(_ transmissionID: TransmissionID, _ cause: EndCause) {
        for headset in headsets.values { headset.transmissionEnded(transmissionID, cause) }
    }

    private func handle(_ event: DeviceEvent) {
        switch event {
        case .added(let node), .changed(let node): set(node, of: node)
        case .removed(let node): set(nil, of: node)
        }
    }

    /// - Parameters:
    ///   - present: The node, or nil if it was removed.
    ///   - node: The node as it was reported.
    private func set(_ present: InputNode?, of node: InputNode) {
        guard let half = node.half else {
            nodes[node.sysname] = present
            return review(node.sysname)
        }
        guard half.part == .few else { return }
        halves[half.of] = present
        review(half.of)
    }

    /// Opens, closes or lists a device as its node demands. If ptt-keys has divided it, the half with the talk key is read
    /// in place of the node, of which no key arrives any more.
    private func review(_ sysname: String) {
        guard let node = nodes[sysname] else { return end(sysname) }
        switch node.use(of: AccessoryDefinition.headsetKeys.map { KeyCode(rawValue: $0) }) {
        case .used:
            let source = halves[sysname] ?? node
            guard source.isReadable else {
                // Only the active session of the seat has access. The kernel would let us continue to read, but the person
                // at the seat now must not transmit in our channel.
                return leave(
                    node,
                    "your session may not read \(source.devnode) unless it is the active one of the seat"
                )
            }
            open(node, source)
        case .unused(let reason): leave(node, reason)
        case .ignored: end(sysname)
        }
    }

    private func open(_ node: InputNode, _ source: InputNode) {
        let sysname = node.sysname
        if let headset = headsets[sysname] {
            guard headset.source.sysname != source.sysname else { return }
            end(sysname)
        }
        do throws(SystemError) {
            let headset = try Headset(node, source: source, core: core, list: list, log: log) { [weak self] in
                self?.set(nil, of: source)
            }
            headsets[sysname] = headset
            headset.setGrab(ownsKeys)
            log.notice("\(node.name) (\(source.devnode)) is used as a headset")
        } catch {
            log.error("\(error): its key does not work")
            leave(node, "\(error)")
        }
    }

    /// Closes it, and lists it with the reason.
    private func leave(_ node: InputNode, _ reason: String) {
        headsets.removeValue(forKey: node.sysname)?.end()
        listed[node.sysname] = node.origin
        list.set(node.unused(reason))
    }

    /// Closes it, and lists it no more.
    private func end(_ sysname: String) {
        headsets.removeValue(forKey: sysname)?.end()
        if let origin = listed.removeValue(forKey: sysname) { list.remove(origin) }
    }
}
