import DBus
import EventLoop
import Glibc

extension DesktopFacts {
    @EventLoop
    static func observed(on host: Host) async -> Result<DesktopFacts, Silence> {
        do throws(BusError) {
            let bus = try await BusConnection.open(.session, timeout: Host.timeLimit)
            defer { bus.close() }
            var names = try await bus.names("ListNames")
            let desktop = Environment.variable("XDG_CURRENT_DESKTOP")
            let isPanelGone = DesktopFacts.isPanelGone(on: desktop, names: names)
            let hasPanel = !isPanelGone && names.contains("org.kde.StatusNotifierWatcher")
            let runsPortal = names.contains(shortcuts.service)
            names.formUnion(try await bus.names("ListActivatableNames"))
            return .success(
                DesktopFacts(
                    desktop: desktop,
                    hasPanel: hasPanel,
                    isPanelGone: isPanelGone,
                    panelExtension: await host.panelExtension(),
                    hasNotifications: names.contains("org.freedesktop.Notifications"),
                    shortcutsVersion: await shortcutsVersion(bus),
                    isPortalAsleep: !runsPortal && names.contains(shortcuts.service),
                    keyObstacle: await keyObstacle(bus, desktop, names),
                    keyProxy: host.keyProxy
                )
            )
        } catch {
            return .failure(Silence(error))
        }
    }

    private static let shortcuts = RemoteInterface(
        service: "org.freedesktop.portal.Desktop",
        path: "/org/freedesktop/portal/desktop",
        name: "org.freedesktop.portal.GlobalShortcuts"
    )

    /// Nil also if the portal does not run: it is not started for this.
    @EventLoop
    private static func shortcutsVersion(_ bus: BusConnection) async -> Int? {
        try? await bus.ask(shortcuts.get("version")).first?.asInt
    }

    @EventLoop
    private static func keyObstacle(
        _ bus: BusConnection,
        _ desktop: String?,
        _ names: Set<String>
    ) async -> KeyObstacle? {
        if lacksSettings(on: desktop, names: names) { return .noSettings }
        guard let desktop, desktop.uppercased().contains("KDE") else { return nil }
        return await isKeyless(bus) ? .notChosen : nil
    }

    /// The portal would list the shortcut only to the indicator. Plasma's own service tells everybody, and
    /// has no shortcut before the indicator has asked for one.
    @EventLoop
    private static func isKeyless(_ bus: BusConnection) async -> Bool {
        let accelerators = RemoteInterface(
            service: "org.kde.kglobalaccel",
            path: "/kglobalaccel",
            name: "org.kde.KGlobalAccel"
        )
        let talk = BusValue.strings(["org.pushtotalk.Indicator", "talk", "", ""])
        // Without an answer nothing is known.
        guard
            let actions = try? await bus.ask(accelerators.call("allActionsForComponent", [talk]))
                .first?.asArray,
            actions.contains(where: { $0.asStrings?.dropFirst().first == "talk" }),
            let keys = try? await bus.ask(accelerators.call("shortcutKeys", [talk])).first?.asArray
        else { return false }
        return !keys.contains(where: \.isKeySequence)
    }
}

extension BusValue {
    /// True if this is Qt's `QKeySequence`, `(ai)`, of at least one key; an absent key is 0.
    fileprivate var isKeySequence: Bool {
        asStructure?.first?.asArray?.contains { $0.asInt.map { $0 != 0 } ?? false } ?? false
    }
}

extension BusConnection {
    /// Calls, with the time limit of a question, and starts nothing.
    @EventLoop
    func ask(_ call: MethodCall) async throws(BusError) -> [BusValue] {
        var call = call
        call.startsService = false
        return try await self.call(call, timeout: Host.timeLimit)
    }

    @EventLoop
    fileprivate func names(_ list: String) async throws(BusError) -> Set<String> {
        Set(try await ask(.bus(list)).first?.asStrings ?? [])
    }
}

extension Host {
    /// Nil also if the disk has not answered.
    @EventLoop
    fileprivate func panelExtension() async -> String? {
        let directories = [path("/usr/share"), UserDirectory.data.path].compactMap(\.self)
        let found = await Host.bounded {
            DesktopFacts.panelExtensions.first { name in
                directories.contains { access("\($0)/gnome-shell/extensions/\(name)", F_OK) == 0 }
            }
        }
        return found.flatMap(\.self)
    }

    /// The process of this user that has this name, by what runs it.
    fileprivate var keyProxy: DesktopFacts.KeyProxy {
        let directory = path("/proc")
        let process = Directory.names(in: directory).first { process in
            var found = stat()
            return Int(process) != nil && stat("\(directory)/\(process)", &found) == 0
                && found.st_uid == getuid()
                && TextFile.firstLine(of: "\(directory)/\(process)/comm") == "mpris-proxy"
        }
        guard let process else { return .absent }
        let group = TextFile.firstLine(of: "\(directory)/\(process)/cgroup") ?? ""
        return group.hasSuffix("/mpris-proxy.service") ? .service : .process
    }
}
