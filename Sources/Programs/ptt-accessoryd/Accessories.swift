import AccessoryCore
import AccessoryFiles
import EventLoop
import Journal
import Logging
import Logind
import PTTMessages
import ServiceClient
import Varlink

/// The parts of ptt-accessoryd and their connections: buttons and headsets, the core, and the service for
/// clients.
@EventLoop
final class Accessories {
    private let list = AccessoryList()
    private let files = AccessoryFolderWatch()
    private var loggedProblems: Set<AccessoryCatalog.Problem> = []
    private let enrolled: EnrolledDevices
    let core: PressForwarder
    let buttons: BluetoothButtons
    let headsets: Headsets
    let discovery: Discovery
    let pairing: Pairing
    let learning: Learning
    var subscribers: [VarlinkConnection.Identifier: VarlinkCall] = [:]
    private lazy var server = VarlinkServer(
        VarlinkServiceInfo(
            vendor: Product.name,
            product: "ptt-accessoryd",
            version: Product.version,
            url: "https://github.com/pushtotalk-linux/push-to-talk"
        ),
        [interface]
    ) { [peers = RateLimitedLog(log)] line, process in
        peers.log(level: .warning, "\(line)", about: process)
    }
    private var logind: LogindWatch?
    let log: Logger

    init(log: Logger) {
        self.log = log
        core = PressForwarder(log: log)
        enrolled = EnrolledDevices(log: log)
        let receivers = Receivers(core: core, list: list, log: log)
        buttons = BluetoothButtons(receivers, enrolled, files)
        headsets = Headsets(receivers, enrolled, buttons.mirror, files)
        discovery = Discovery(buttons.mirror, headsets, files, log: log)
        pairing = Pairing(buttons, discovery, enrolled, log: log)
        learning = Learning(buttons, headsets, discovery, core: core)
        core.handler = { [weak self] in self?.handle($0) }
    }

    /// - Throws: If the listening socket for clients cannot be watched.
    func start(_ socket: consuming OwnedDescriptor) throws(SystemError) {
        list.onUpdate = { [weak self] update in
            self?.publish(update)
            if let event = update.event { self?.pairing.observe(event) }
            self?.buttons.changes.notify()
        }
        let (buttons, discovery, headsets) = (buttons, discovery, headsets)
        buttons.onDeviceChange = { path in
            discovery.update(path)
            headsets.bluetoothChanged()
        }
        headsets.onNodeChange = { discovery.updateInputs() }
        enrolled.onChange = {
            buttons.reviewDevices()
            headsets.reviewDevices()
        }
        files.onChange = { [weak self] catalog in
            self?.logProblems(catalog)
            headsets.reviewDevices()
            buttons.reviewDevices()
        }
        core.actions.files.onChange = { [core] in
            core.actions.start()
            headsets.actionsChanged()
        }
        logProblems(files.catalog)
        try server.listen(on: socket)
        core.actions.start()
        enrolled.start()
        core.start()
        buttons.start()
        headsets.start()
        watchSession()
    }

    /// For the session headsets need no watch: they are released by the access rights of their nodes.
    private func watchSession() {
        logind = LogindWatch(delayingSleep: nil, log: log) { [buttons, headsets] event in
            switch event {
            case .active: buttons.sessionChanged(isActive: true)
            case .inactive: buttons.sessionChanged(isActive: false)
            // A person is back, who may want to talk: also with a microphone that counts as switched off.
            case .resumed:
                headsets.resumed()
                buttons.microphones.wanted()
            case .unlocked: buttons.microphones.wanted()
            case .suspending, .locked: break
            }
        }
    }

    /// Logs what is new.
    private func logProblems(_ catalog: AccessoryCatalog) {
        for problem in catalog.problems where !loggedProblems.contains(problem) {
            log.warning("\(problem.path) is not used: \(problem.reason)")
        }
        loggedProblems = Set(catalog.problems)
        guard catalog.entries.isEmpty else { return }
        let folders = AccessoryFolders.standard.paths.joined(separator: ", ")
        log.error("there is no accessory file in \(folders): no button and no headset is recognised")
    }

    /// Ends every press, releases the devices, and closes all connections.
    func close() {
        logind = nil
        discovery.stopAll()
        buttons.close()
        headsets.close()
        core.close()
        server.stop()
    }

    private func handle(_ event: PressForwarder.Event) {
        switch event {
        case .connected: list.publish(AccessoryEvent(.coreConnected))
        case .lost(let reason):
            for host in hosts { host.handle(.coreLost) }
            headsets.setGrab(false)
            list.publish(AccessoryEvent(.coreLost, remark: reason))
        case .pressesChanged(let areAccepted):
            headsets.setGrab(areAccepted)
            // A person is about to talk.
            if core.destination != .none { buttons.microphones.wanted() }
        case .transmissionEnded(let transmissionID, let cause):
            for host in hosts { host.transmissionEnded(transmissionID, cause) }
        }
        ServiceState.status(core.isConnected ? core.destination.rawValue : "Waiting for the core")
    }

    private var hosts: [AccessoryHost] { buttons.hosts + headsets.hosts }
}
