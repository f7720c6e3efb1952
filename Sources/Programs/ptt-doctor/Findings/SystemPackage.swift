import PTTMessages

/// A package of the distribution, by what a person needs it for.
enum SystemPackage: CaseIterable, Sendable {
    case bluetooth
    /// PipeWire with its session manager.
    case soundServer
    case sessionManager
    case sessionBus
    /// The extension of GNOME for items of applications.
    case panelExtension
    /// GNOME's settings, with what asks for a key on behalf of the portal.
    case gnomeSettings
    case notifications

    /// The commands' names of it; nil where a command would not help, or its name is not known for certain.
    private var names: (debian: String, fedora: String?, openSUSE: String?, arch: String?) {
        switch self {
        case .bluetooth: ("bluez", "bluez", "bluez", "bluez")
        case .soundServer:
            (
                "pipewire-pulse wireplumber", "pipewire-pulseaudio wireplumber",
                "pipewire-pulseaudio wireplumber", "pipewire-pulse wireplumber"
            )
        case .sessionManager: ("wireplumber", "wireplumber", "wireplumber", "wireplumber")
        // Elsewhere it is a part of what every system has.
        case .sessionBus: ("dbus-user-session", nil, nil, nil)
        case .panelExtension:
            (
                "gnome-shell-extension-appindicator", "gnome-shell-extension-appindicator", nil,
                "gnome-shell-extension-appindicator"
            )
        case .gnomeSettings:
            ("gnome-control-center", "gnome-control-center", "gnome-control-center", "gnome-control-center")
        case .notifications: ("dunst", "dunst", "dunst", "dunst")
        }
    }

    private var nixOS: Text {
        switch self {
        case .bluetooth: Text("set hardware.bluetooth.enable in the configuration of NixOS")
        case .soundServer: Text("set services.pipewire.pulse.enable in the configuration of NixOS")
        case .sessionManager: Text("set services.pipewire.wireplumber.enable in the configuration of NixOS")
        case .sessionBus: words
        case .panelExtension: Text("add gnomeExtensions.appindicator to the packages of NixOS, and enable it")
        case .gnomeSettings: Text("add gnome-control-center to the packages of NixOS")
        case .notifications: Text("add dunst to the packages of NixOS")
        }
    }

    private var words: Text {
        switch self {
        case .bluetooth: Text("install the package that has bluetoothd (BlueZ)")
        case .soundServer: Text("install the packages that have pipewire-pulse and wireplumber")
        case .sessionManager: Text("install the package that has wireplumber")
        case .sessionBus: Text("install the package that starts the session bus (D-Bus) for each user")
        case .panelExtension: Text("install the package that has GNOME's extension AppIndicator")
        case .gnomeSettings: Text("install the package that has gnome-control-center")
        case .notifications: Text("install the package that has dunst, or another notification daemon")
        }
    }

    /// - Returns: The command that installs it, or what to do in words.
    fileprivate func installation(on distribution: Distribution?) -> Cure {
        let command: String?
        switch distribution {
        case .debian: command = "sudo apt install \(names.debian)"
        case .fedora: command = names.fedora.map { "sudo dnf install \($0)" }
        case .openSUSE: command = names.openSUSE.map { "sudo zypper install \($0)" }
        case .arch: command = names.arch.map { "sudo pacman -S \($0)" }
        case .nixOS: return .advice(nixOS)
        case nil: command = nil
        }
        return command.map { .command($0) } ?? .advice(words)
    }
}

extension Cure {
    /// - Parameter distribution: Nil for one that is not known.
    /// - Returns: A command or an advice.
    func resolved(on distribution: Distribution?) -> Cure {
        switch self {
        case .command, .advice: self
        case .install(let package): package.installation(on: distribution)
        case .reinstall: Self.reinstallation(on: distribution)
        case .removeOne:
            .advice(Text("run `sudo make uninstall` in the sources, or \(Self.removal(on: distribution))"))
        }
    }

    private static func reinstallation(on distribution: Distribution?) -> Cure {
        switch distribution {
        case .debian: .command("sudo apt install --reinstall push-to-talk")
        case .fedora: .command("sudo dnf reinstall push-to-talk")
        case .openSUSE: .command("sudo zypper install --force push-to-talk")
        // No repository has the package.
        case .arch, nil: .advice(Text("install push-to-talk again"))
        case .nixOS: .advice(Text("add push-to-talk to systemd.packages and services.udev.packages of NixOS"))
        }
    }

    private static func removal(on distribution: Distribution?) -> Text {
        switch distribution {
        case .debian: Text(verbatim: "`sudo apt remove push-to-talk`")
        case .fedora: Text(verbatim: "`sudo dnf remove push-to-talk`")
        case .openSUSE: Text(verbatim: "`sudo zypper remove push-to-talk`")
        case .arch: Text(verbatim: "`sudo pacman -R push-to-talk`")
        case .nixOS, nil: Text("remove the package push-to-talk")
        }
    }
}
