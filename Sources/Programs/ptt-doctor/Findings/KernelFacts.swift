import PTTMessages

/// The kernel, and what stands between it and this program.
struct KernelFacts: Equatable, Sendable {
    /// The user namespaces that the kernel grants a user's service manager, which needs one for most
    /// protections of a service. The generator `push-to-talk-namespaces` has the same rule.
    enum Namespaces: Equatable, Sendable {
        case granted
        /// By AppArmor: without any privilege in it.
        case unprivileged
        /// By this setting of the kernel.
        case refused(setting: String)
    }

    /// Of Flatpak, Snap or a container: its name.
    var sandbox: Text?
    /// The Windows Subsystem for Linux.
    var isWSL: Bool
    /// `/dev/uhid`, over which bluetoothd makes input devices.
    var hasUHID: Bool
    var namespaces = Namespaces.granted

    var findings: [Finding] {
        if isWSL {
            return Check.kernel.warning(
                Text(
                    "this is the Windows Subsystem for Linux: it has no udev and no Bluetooth, so neither headset nor button"
                ),
                cure: .advice(Text("use it on Linux itself; `pttctl talk` presses here"))
            )
        }
        if let sandbox {
            return Check.kernel.warning(
                Text("this runs in \(sandbox), which sees only a part of the machine"),
                cure: .advice(Text("run pttctl doctor outside of it"))
            )
        }
        return keyboards + protections
    }

    private var keyboards: [Finding] {
        if hasUHID { return Check.kernel.ok(Text("/dev/uhid is there")) }
        return Check.kernel.warning(
            Text("/dev/uhid is not there: Bluetooth buttons that are keyboards or presenters give no key"),
            cure: .command("sudo modprobe uhid")
        )
    }

    /// No warning: push-to-talk works, and what would grant the namespaces lowers the protection of the whole
    /// machine.
    private var protections: [Finding] {
        let (refusal, missing): (Text, String)
        switch namespaces {
        case .granted: return []
        case .unprivileged:
            refusal = Text("AppArmor grants users no namespace with privileges")
            missing = "PrivateDevices="
        case .refused(let setting):
            refusal = Text("\(setting) grants users no namespace")
            missing = "PrivateUsers=, PrivateDevices="
        }
        return Check.kernel.ok(
            Text(
                "\(refusal): push-to-talk's services run without \(missing), ProtectSystem=, ProtectHome=, PrivateTmp=, "
                    + "ProtectKernelTunables= and ProtectControlGroups=, and see the files and devices that this user sees; "
                    + "their filters of system calls remain"
            )
        )
    }
}
