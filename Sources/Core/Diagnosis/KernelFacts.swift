/// The kernel, and what stands between it and this program.
package struct KernelFacts: Equatable, Sendable {
    /// Of Flatpak, Snap or a container: its name.
    package var sandbox: String?
    /// The Windows Subsystem for Linux.
    package var isWSL: Bool
    /// `/dev/uhid`, over which bluetoothd makes input devices.
    package var hasUHID: Bool

    package init(sandbox: String?, isWSL: Bool, hasUHID: Bool) {
        self.sandbox = sandbox
        self.isWSL = isWSL
        self.hasUHID = hasUHID
    }

    package var findings: [Finding] {
        if isWSL {
            return [
                .warning(
                    .kernel,
                    "this is the Windows Subsystem for Linux: it has no udev and no Bluetooth, so neither headset nor button",
                    cure: .advice("use it on Linux itself; `pttctl talk` presses here")
                )
            ]
        }
        if let sandbox {
            return [
                .warning(
                    .kernel,
                    "this runs in \(sandbox), which sees only a part of the machine",
                    cure: .advice("run pttctl doctor outside of it")
                )
            ]
        }
        if !hasUHID {
            return [
                .warning(
                    .kernel,
                    "/dev/uhid is not there: Bluetooth buttons that are keyboards or presenters give no key",
                    cure: .command("sudo modprobe uhid")
                )
            ]
        }
        return [.ok(.kernel, "/dev/uhid is there")]
    }
}
