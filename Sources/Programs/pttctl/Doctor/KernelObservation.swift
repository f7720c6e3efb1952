import Diagnosis
import EventLoop
import Glibc

extension KernelFacts {
    static func observed(on host: Host) -> KernelFacts {
        KernelFacts(
            sandbox: sandbox(on: host),
            isWSL: host.exists("/proc/sys/fs/binfmt_misc/WSLInterop"),
            hasUHID: host.exists("/dev/uhid")
        )
    }

    private static func sandbox(on host: Host) -> String? {
        if Environment.variable("FLATPAK_ID") != nil || host.exists("/.flatpak-info") { return "Flatpak" }
        if Environment.variable("SNAP") != nil { return "Snap" }
        // systemd and most managers of containers write it.
        if let container = Host.line(host.path("/run/systemd/container")) {
            return "a container (\(container))"
        }
        if host.exists("/.dockerenv") { return "a container (docker)" }
        return host.exists("/run/.containerenv") ? "a container (podman)" : nil
    }
}
