import PTTMessages

/// The facts about what the desktop offers to show a channel or a call, and what competes for a headset's
/// key.
struct DesktopFacts: Equatable, Sendable {
    /// `XDG_CURRENT_DESKTOP`; nil outside a desktop.
    var desktop: String?
    /// A panel with the tray items of applications.
    var hasPanel: Bool
    /// Plasma's panel does not run.
    var isPanelGone = false
    /// The one of ``panelExtensions`` that is installed.
    var panelExtension: String?
    var hasNotifications: Bool
    /// Of `org.freedesktop.portal.GlobalShortcuts`; nil if there is none.
    var shortcutsVersion: Int?
    /// The desktop has a portal, which starts with the first program that uses it.
    var isPortalAsleep = false
    /// Nil if nothing is known to hinder the key of the keyboard.
    var keyObstacle: KeyObstacle?
    var keyProxy: KeyProxy

    /// Why no key of the keyboard talks, although the desktop has a portal for it.
    enum KeyObstacle: Equatable, Sendable {
        /// Plasma lists the shortcut, and nobody has chosen a key for it.
        case notChosen
        /// GNOME's portal has the settings ask for the key, and binds none where they are not installed.
        case noSettings
    }

    /// mpris-proxy passes the keys of Bluetooth headsets on to the music player, and takes them from
    /// everybody else.
    enum KeyProxy: Equatable, Sendable {
        case absent
        /// A unit of this user: on Debian 13 it is enabled for all users.
        case service
        /// Started in another way.
        case process
    }

    /// The extensions of GNOME for items of applications: Debian's and Ubuntu's, and the one that it is made
    /// from.
    static let panelExtensions = [
        "ubuntu-appindicators@ubuntu.com", "appindicatorsupport@rgcjonas.gmail.com",
    ]

    /// Returns true on Plasma, if its panel has gone and no other has taken its place. The watcher of tray
    /// items is a process of its own there, and stays. `names` are all names on the session bus.
    static func isPanelGone(on desktop: String?, names: Set<String>) -> Bool {
        guard let desktop, desktop.uppercased().contains("KDE") else { return false }
        return !names.contains {
            $0 == "org.kde.plasmashell" || $0.hasPrefix("org.kde.StatusNotifierHost-")
        }
    }

    /// Returns true on GNOME, if no program asks a person for a key. `names` are all names on the session
    /// bus, and those that it would start.
    static func lacksSettings(on desktop: String?, names: Set<String>) -> Bool {
        guard let desktop, desktop.uppercased().contains("GNOME") else { return false }
        return !names.contains("org.gnome.Settings.GlobalShortcutsProvider")
    }

    /// One for the panel, one for the key of the keyboard, and what hinders. `headsets` are the names of the
    /// Bluetooth headsets whose keys are used.
    static func findings(_ facts: Result<DesktopFacts, Silence>, headsets: [String]) -> [Finding] {
        switch facts {
        case .success(let facts): facts.findings(headsets)
        case .failure(.timedOut):
            Check.desktop.warning(
                Text("the session bus does not answer"),
                cure: .advice(Text("log out and in again"))
            )
        case .failure(.unreachable(let reason)):
            Check.desktop.warning(
                Text("no session bus, and with it no panel, notification or key: \(reason)"),
                cure: .install(.sessionBus)
            )
        }
    }

    private func findings(_ headsets: [String]) -> [Finding] {
        guard let desktop else {
            return Check.desktop.ok(Text("no desktop in this session")) + proxy(headsets)
        }
        return panel(desktop) + key + proxy(headsets)
    }

    /// Without such a headset it does no harm.
    private func proxy(_ headsets: [String]) -> [Finding] {
        guard !headsets.isEmpty else { return [] }
        let cure: Cure
        switch keyProxy {
        case .absent: return []
        // Masked, because it is enabled for all users: it would come back with the next login.
        case .service: cure = .command("systemctl --user mask --now mpris-proxy.service")
        case .process: cure = .command("pkill -x mpris-proxy")
        }
        let names = headsets.joined(separator: ", ")
        return Check.desktop.warning(
            Text("mpris-proxy takes the key of \(names) for the music player"),
            cure: cure
        )
    }

    private func panel(_ desktop: String) -> [Finding] {
        if hasPanel { return Check.desktop.ok(Text("the panel of \(desktop) shows the channel")) }
        let (text, cure): (Text, Cure)
        if isPanelGone {
            text = Text("Plasma's panel does not run: nothing shows the channel")
            cure = .command("systemctl --user restart plasma-plasmashell.service")
        } else if desktop.uppercased().contains("GNOME") {
            if let panelExtension {
                text = Text(
                    "GNOME's panel shows no items of applications: its extension for them is installed, and does not run"
                )
                cure = .command("gnome-extensions enable \(panelExtension)")
            } else {
                text = Text("GNOME's panel shows no items of applications without an extension")
                cure = .install(.panelExtension)
            }
        } else if hasNotifications {
            text = Text(
                "no panel of \(desktop) shows items of applications: the channel is a notification only"
            )
            cure = .advice(Text("add the tray or status plugin to the panel"))
        } else {
            text = Text(
                "\(desktop) has neither a panel for applications nor notifications: nothing shows the channel"
            )
            cure = .install(.notifications)
        }
        return Check.desktop.warning(text, cure: cure)
    }

    private var key: [Finding] {
        guard let shortcutsVersion else {
            return Check.desktop.ok(
                isPortalAsleep
                    ? Text("whether a key of the keyboard can talk is known once the desktop's portal runs")
                    : Text("no key of the keyboard can talk here: this desktop has no GlobalShortcuts portal")
            )
        }
        switch keyObstacle {
        case .notChosen:
            return Check.desktop.warning(
                Text("no key of the keyboard talks: none is chosen in Plasma's settings"),
                cure: .advice(Text("choose a single key for Push to talk in Plasma's settings of shortcuts"))
            )
        case .noSettings:
            return Check.desktop.warning(
                Text(
                    "no key of the keyboard can talk: GNOME's settings, which ask for the key, are not installed"
                ),
                cure: .install(.gnomeSettings)
            )
        case nil:
            return Check.desktop.ok(
                Text("a key of the keyboard can talk (GlobalShortcuts \(shortcutsVersion))")
            )
        }
    }
}
