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

    /// Its name there; nil where a command would not help, or its name is not known for certain.
    private func name(on distribution: Distribution) -> String? {
        switch self {
        case .bluetooth: "bluez"
        case .soundServer:
            [.debian, .arch].contains(distribution)
                ? "pipewire-pulse wireplumber" : "pipewire-pulseaudio wireplumber"
        case .sessionManager: "wireplumber"
        // Elsewhere it is a part of what every system has.
        case .sessionBus: distribution == .debian ? "dbus-user-session" : nil
        case .panelExtension: distribution == .openSUSE ? nil : "gnome-shell-extension-appindicator"
        case .gnomeSettings: "gnome-control-center"
        case .notifications: "dunst"
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
        if distribution == .nixOS { return .advice(nixOS) }
        guard let distribution, let commands = distribution.commands, let name = name(on: distribution)
        else { return .advice(words) }
        return .command("\(commands.install) \(name)")
    }
}

extension Distribution {
    /// The beginnings of the commands for packages; no `reinstall` where no repository has push-to-talk.
    fileprivate var commands: (install: String, reinstall: String?, remove: String)? {
        switch self {
        case .debian: ("sudo apt install", "sudo apt install --reinstall", "sudo apt remove")
        case .fedora: ("sudo dnf install", "sudo dnf reinstall", "sudo dnf remove")
        case .openSUSE: ("sudo zypper install", "sudo zypper install --force", "sudo zypper remove")
        case .arch: ("sudo pacman -S", nil, "sudo pacman -R")
        case .nixOS: nil
        }
    }
}

extension Cure {
    /// A command or an advice. A distribution that is not known is nil.
    func resolved(on distribution: Distribution?) -> Cure {
        switch self {
        case .command, .advice: return self
        case .install(let package): return package.installation(on: distribution)
        case .reinstall:
            if let command = distribution?.commands?.reinstall { return .command("\(command) push-to-talk") }
            return .advice(
                distribution == .nixOS
                    ? Text("add push-to-talk to systemd.packages and services.udev.packages of NixOS")
                    : Text("install push-to-talk again")
            )
        case .removeOne:
            let command = distribution?.commands.map { Text(verbatim: "`\($0.remove) push-to-talk`") }
            let removal = command ?? Text("remove the package push-to-talk")
            return .advice(Text("run `sudo make uninstall` in the sources, or \(removal)"))
        }
    }
}
