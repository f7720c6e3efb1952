/// The evidence on whether something shows the tray item: what the watcher says of its hosts, and the hosts'
/// own names on the bus.
///
/// The watcher alone does not know. That of Plasma is a process of its own, kded, and says that a host is
/// registered also after plasmashell was killed. Where hosts have had names, one of them must be there; a
/// host without a name, as xfce4-panel's, is the watcher itself.
package struct PanelHosts: Equatable, Sendable {
    /// plasmashell has this name before it has that of a host, and nothing else reports that it is there
    /// again.
    package static let plasma = "org.kde.plasmashell"
    /// Of the name of a host: `org.kde.StatusNotifierHost-1234` (StatusNotifierItem specification).
    private static let prefix = "org.kde.StatusNotifierHost-"
    /// Of hosts that are watched. A session has one, or one for each screen.
    private static let limit = 16

    /// True if the watcher has accepted the item, and says that it has hosts.
    package var isReported = false
    /// The names that somebody has.
    private var hosts: Set<String> = []
    private var hadHosts = false

    package init() {}

    package var isThere: Bool { isReported && (!hadHosts || !hosts.isEmpty) }

    /// - Parameter names: All names on the bus.
    /// - Returns: The hosts that were not known. They are to be watched.
    package func unknown(among names: [String]) -> [String] {
        Array(
            names.filter { $0.hasPrefix(Self.prefix) && !hosts.contains($0) }
                .prefix(max(0, Self.limit - hosts.count))
        )
    }

    package mutating func hostChanged(_ name: String, isThere: Bool) {
        if isThere {
            hosts.insert(name)
            hadHosts = true
        } else {
            hosts.remove(name)
        }
    }
}
