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
    private var headsets: [String: Headset] = [:]
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
        headsets = [:]
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
        case .added(let node): review(node)
        case .changed(let node): review(node)
        case .removed(let node): remove(node)
        }
    }

    private func review(_ node: InputNode) {
        switch node.use(of: HeadsetKey.codes.map { KeyCode(rawValue: $0) }) {
        case .used: open(node)
        case .unused(let reason):
            headsets.removeValue(forKey: node.sysname)?.end()
            list.set(node.unused(reason))
        case .ignored: remove(node)
        }
    }

    private func open(_ node: InputNode) {
        guard node.isReadable else { return release(node) }
        guard headsets[node.sysname] == nil else { return }
        do throws(SystemError) {
            let headset = try Headset(node, core: core, list: list, log: log) { [weak self] in
                self?.remove(node)
            }
            headsets[node.sysname] = headset
            headset.setGrab(ownsKeys)
            log.notice("\(node.name) (\(node.devnode)) is used as a headset")
        } catch {
            log.error("\(error): its key does not work")
            list.set(node.unused("\(error)"))
        }
    }

    /// Only the active session of the seat has access. The kernel would let us continue to read, but the person at the
    /// seat now must not transmit in our channel.
    private func release(_ node: InputNode) {
        headsets.removeValue(forKey: node.sysname)?.end()
        list.set(
            node.unused("your session may not read \(node.devnode) unless it is the active one of the seat")
        )
    }

    private func remove(_ node: InputNode) {
        headsets.removeValue(forKey: node.sysname)?.end()
        list.remove(node.origin)
    }
}
