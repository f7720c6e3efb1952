/// What the desktop offers to show a channel, and what competes for a headset's key.
package struct DesktopFacts: Equatable, Sendable {
    /// `XDG_CURRENT_DESKTOP`; nil outside a desktop.
    package var desktop: String?
    /// A panel with the tray items of applications.
    package var hasPanel: Bool
    package var hasNotifications: Bool
    /// Of `org.freedesktop.portal.GlobalShortcuts`; nil if there is none.
    package var shortcutsVersion: Int?
    /// mpris-proxy passes the key of Bluetooth headsets on to the media player.
    package var hasKeyProxy: Bool

    package init(
        desktop: String?,
        hasPanel: Bool,
        hasNotifications: Bool,
        shortcutsVersion: Int?,
        hasKeyProxy: Bool
    ) {
        self.desktop = desktop
        self.hasPanel = hasPanel
        self.hasNotifications = hasNotifications
        self.shortcutsVersion = shortcutsVersion
        self.hasKeyProxy = hasKeyProxy
    }

    package static func findings(_ facts: Result<DesktopFacts, Silence>) -> [Finding] {
        switch facts {
        case .success(let facts): facts.findings
        case .failure(.timedOut):
            [.warning(.desktop, "the session bus does not answer", cure: .advice("log out and in again"))]
        case .failure(.unreachable(let reason)):
            [
                .warning(
                    .desktop,
                    "no session bus, and with it no panel, notification or key: \(reason)",
                    cure: .command("sudo apt install dbus-user-session")
                )
            ]
        }
    }

    private var findings: [Finding] {
        let proxy =
            hasKeyProxy
            ? Finding.warning(
                .desktop,
                "mpris-proxy runs: the key of a Bluetooth headset also pauses the music player",
                cure: .command("pkill -x mpris-proxy")
            ) : nil
        guard let desktop else {
            return [.ok(.desktop, "no desktop in this session")] + [proxy].compactMap(\.self)
        }
        return [panel(desktop), key, proxy].compactMap(\.self)
    }

    private func panel(_ desktop: String) -> Finding {
        if hasPanel { return .ok(.desktop, "the panel of \(desktop) shows the channel") }
        if desktop.uppercased().contains("GNOME") {
            return .warning(
                .desktop,
                "GNOME's panel shows no items of applications without an extension",
                cure: .command("sudo apt install gnome-shell-extension-appindicator")
            )
        }
        if hasNotifications {
            return .warning(
                .desktop,
                "no panel of \(desktop) shows items of applications: the channel is a notification only",
                cure: .advice("add the tray or status plugin to the panel")
            )
        }
        return .warning(
            .desktop,
            "\(desktop) has neither a panel for applications nor notifications: nothing shows the channel",
            cure: .command("sudo apt install dunst")
        )
    }

    private var key: Finding {
        if let shortcutsVersion {
            return .ok(.desktop, "a key of the keyboard can talk (GlobalShortcuts \(shortcutsVersion))")
        }
        return .ok(
            .desktop,
            "no key of the keyboard can talk here: this desktop has no GlobalShortcuts portal"
        )
    }
}
