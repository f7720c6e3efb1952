import DBus
import EventLoop
import IndicatorCore
import Logging

/// The tray item: a StatusNotifierItem with a menu, registered at the panel's watcher whenever there is one.
///
/// It needs neither a display nor a toolkit: the panel draws it, on X11 and Wayland alike.
@EventLoop
final class Panel {
    private static let watcher = RemoteInterface(
        service: "org.kde.StatusNotifierWatcher",
        path: "/StatusNotifierWatcher",
        name: "org.kde.StatusNotifierWatcher"
    )

    private let log: Logger
    private let post: @EventLoop (Indicator.Event) -> Void
    private let item: TrayItem
    private let menu: TrayMenu
    private var connection: BusConnection?
    private var objects: [ExportedObject] = []
    private var subscriptions: [Subscription] = []
    /// The watcher that this item asked last to show it.
    private var watcher: String?
    /// True if it has accepted the item.
    private var isRegistered = false
    private var hosts = PanelHosts()
    private var hostNames: [String: Subscription] = [:]
    /// Nil before the first report.
    private var isThere: Bool?

    init(pictures: Pictures, log: Logger, post: @escaping @EventLoop (Indicator.Event) -> Void) {
        self.log = log
        self.post = post
        item = TrayItem(pictures: pictures) { post(.panelActivated) }
        menu = TrayMenu(pictures: pictures) { post(.menuClicked($0)) }
    }

    /// Exports the item on a new connection, and registers it as soon as there is a watcher.
    func connected(_ connection: BusConnection) {
        self.connection = connection
        do throws(BusError) {
            objects = [
                try connection.export(TrayItem.path, [item.interface]),
                try connection.export(TrayMenu.path, [menu.interface]),
            ]
        } catch {
            // The connection has ended already, which is reported on its own.
            return log.debug("\(error)")
        }
        subscriptions = [
            connection.watchName(Self.watcher.service) { [weak self] in self?.watcherChanged($0) },
            connection.watchName(PanelHosts.plasma) { [weak self] in
                self?.hostChanged(PanelHosts.plasma, $0)
            },
            hostSignal("StatusNotifierHostRegistered", on: connection),
            hostSignal("StatusNotifierHostUnregistered", on: connection),
        ]
    }

    func disconnected() {
        connection = nil
        objects = []
        subscriptions = []
        hostNames = [:]
        watcher = nil
        hosts = PanelHosts()
        update()
    }

    /// Announces what has changed, and nothing else: panels fetch all of the item for each announcement.
    func show(_ next: PanelItem) {
        let last = item.item
        item.item = next
        menu.entries = next.menu
        if next.spokenTitle != last.spokenTitle { announce("NewTitle") }
        // The tooltip is the description of the icon, too, which has no signal of its own.
        if next.icon != last.icon || next.imageID != last.imageID || next.toolTip != last.toolTip {
            announce("NewIcon")
        }
        // The title is a part of the tooltip, too.
        if next.toolTip != last.toolTip || next.title != last.title { announce("NewToolTip") }
        if next.state != last.state { announce("NewStatus", [.string(next.state.rawValue)]) }
        let entries = next.menu.filter { !last.menu.contains($0) }
        if !entries.isEmpty { emit(menu.propertiesUpdated(entries)) }
    }

    private func announce(_ member: String, _ arguments: [BusValue] = []) {
        emit(
            BusSignal(path: TrayItem.path, interface: TrayItem.name, member: member, arguments: arguments)
        )
    }

    private func emit(_ signal: BusSignal) {
        do throws(BusError) {
            try connection?.emit(signal)
        } catch {
            // A panel that misses it still has the item as it was. The end of the connection is reported on
            // its own.
            log.debug("\(error)")
        }
    }

    // MARK: - The watcher

    /// Registers with each new watcher: a panel that was started again does not know the item.
    private func watcherChanged(_ owner: String?) {
        (watcher, isRegistered) = (owner, false)
        hosts.isReported = false
        // At the start nothing is reported before the watcher has answered: a panel may be there already.
        if owner == nil || isThere == true { update() }
        if let owner { register(with: owner) }
    }

    private func register(with owner: String) {
        guard let connection else { return }
        // The unique name: a name with the process's number would be wrong in a sandbox.
        let name = BusValue.string(connection.uniqueName)
        ask(owner, Self.watcher.call("RegisterStatusNotifierItem", [name], startsService: false)) {
            panel,
            result in
            switch result {
            case .success:
                panel.isRegistered = true
                panel.lookForHost(of: owner)
            case .failure(let error):
                panel.log.notice("the panel does not show the channel: \(error)")
                panel.update()
            }
        }
    }

    /// A watcher may run without a panel: that of KDE is a process of its own.
    private func lookForHost(of owner: String) {
        watchHosts()
        var call = Self.watcher.get("IsStatusNotifierHostRegistered")
        call.startsService = false
        ask(owner, call) { panel, result in
            switch result {
            case .success(let values):
                panel.hosts.isReported = values.first?.asBool ?? true
            case .failure(let error):
                // It has accepted the item, and does not say whether a host shows it: one counts as there.
                panel.log.debug("\(error)")
                panel.hosts.isReported = true
            }
            panel.update()
        }
    }

    /// Calls the watcher. While it hangs, what is known of it counts.
    private func ask(
        _ owner: String,
        _ call: MethodCall,
        then: @escaping @EventLoop (Panel, Result<[BusValue], BusError>) -> Void
    ) {
        connection?.call(
            call,
            overdue: { [weak self] in
                self?.log.notice("no answer to \(call.member) yet: the panel hangs")
                self?.update()
            },
            completion: { [weak self] result in
                guard let self, watcher == owner else { return }
                then(self, result)
            }
        )
    }

    /// Watches the hosts' own names. Each by itself: a rule for all of them would wake this process whenever
    /// a program of KDE starts.
    private func watchHosts() {
        connection?.call(.bus("ListNames")) { [weak self] result in
            guard let self, let connection else { return }
            switch result {
            case .success(let values):
                for name in hosts.unknown(among: values.first?.asStrings ?? []) where hostNames[name] == nil {
                    hostNames[name] = connection.watchName(name) { [weak self] owner in
                        self?.hostChanged(name, owner)
                    }
                }
            case .failure(let error):
                // Only what the watcher has reported is known of hosts then.
                log.debug("\(error)")
            }
        }
    }

    private func hostChanged(_ name: String, _ owner: String?) {
        hosts.hostChanged(name, isThere: owner != nil)
        // The number in the name of a host is that of a process, which does not come back.
        if owner == nil { hostNames[name] = nil } else if name == PanelHosts.plasma { watchHosts() }
        // At the start the answer of the watcher is the first report.
        if isThere != nil { update() }
    }

    private func hostSignal(_ member: String, on connection: BusConnection) -> Subscription {
        connection.subscribe(Self.watcher.signal(member)) { [weak self] _ in
            guard let self, let watcher else { return }
            // A host shows only what its watcher has accepted. One that has refused may not have been ready.
            if isRegistered { lookForHost(of: watcher) } else { register(with: watcher) }
        }
    }

    private func update() {
        let isThere = hosts.isThere
        guard isThere != self.isThere else { return }
        self.isThere = isThere
        post(.watcherChanged(isThere: isThere))
    }
}
