import EventLoop
import PTTMessages

extension KernelFacts {
    static func observed(on host: Host) -> KernelFacts {
        KernelFacts(
            sandbox: sandbox(on: host),
            isWSL: host.exists("/proc/sys/fs/binfmt_misc/WSLInterop"),
            hasUHID: host.exists("/dev/uhid"),
            namespaces: namespaces(on: host)
        )
    }

    private static func namespaces(on host: Host) -> Namespaces {
        func value(_ setting: String) -> String? { TextFile.firstLine(of: host.path("/proc/sys/" + setting)) }
        if value("user/max_user_namespaces") == "0" { return .refused(setting: "user.max_user_namespaces=0") }
        if value("kernel/unprivileged_userns_clone") == "0" {
            return .refused(setting: "kernel.unprivileged_userns_clone=0")
        }
        return value("kernel/apparmor_restrict_unprivileged_userns") == "1" ? .unprivileged : .granted
    }

    private static func sandbox(on host: Host) -> Text? {
        if Environment.variable("FLATPAK_ID") != nil || host.exists("/.flatpak-info") {
            return Text(verbatim: "Flatpak")
        }
        if Environment.variable("SNAP") != nil { return Text(verbatim: "Snap") }
        // systemd and most managers of containers write it.
        if let container = TextFile.firstLine(of: host.path("/run/systemd/container")) {
            return Text("a container (\(container))")
        }
        if host.exists("/.dockerenv") { return Text("a container (\("docker"))") }
        return host.exists("/run/.containerenv") ? Text("a container (\("podman"))") : nil
    }
}
