import PTTMessages
import Testing

@testable import Input
@testable import ptt_doctor

@Suite struct SeatFindingTests {
    private func findings(_ sessions: SeatFacts.Session..., lingers: Bool = false) -> [Finding] {
        SeatFacts.findings(.success(SeatFacts(sessions: sessions, lingers: lingers)))
    }

    @Test func `an active session at a seat is well, and lingering is said`() {
        let session = SeatFacts.Session(identifier: "2", seat: "seat0", isActive: true)
        #expect(findings(session) == Check.seat.ok(Text("session 2 is active at seat0")))
        #expect(findings(session, lingers: true).first?.text.english.contains("without a login") == true)
    }

    @Test func `behind another user's session this one is activated`() {
        let remote = SeatFacts.Session(identifier: "5", seat: "", isActive: true)
        let behind = SeatFacts.Session(identifier: "2", seat: "seat0", isActive: false)
        let cure = Cure.command("loginctl activate 2")
        expect(findings(remote, behind), isFailure: false, curedBy: cure, "refused")
    }

    @Test func `over ssh there is no wired headset`() {
        let remote = SeatFacts.Session(identifier: "5", seat: "", isActive: true)
        let cure = Cure.advice(Text("log in at the screen to use a wired headset"))
        expect(findings(remote), isFailure: false, curedBy: cure, "no session at a screen")
    }

    @Test func `a logind that hangs is a warning`() {
        let cure = Cure.command("sudo systemctl restart systemd-logind")
        expect(SeatFacts.findings(.failure(.timedOut)), isFailure: false, curedBy: cure, "logind")
    }
}

@Suite struct UdevFindingTests {
    private static let installed = UdevFacts.RuleFile(
        path: "/usr/lib/udev/rules.d/71-push-to-talk.rules",
        isMask: false
    )
    private var facts = UdevFacts(
        rules: [Self.installed],
        nodes: [
            InputNode(
                sysname: "event5",
                devnode: "/dev/input/event5",
                name: "Headset",
                tags: ["push-to-talk"]
            )
        ],
        isInInputGroup: false
    )
    private let removal = Cure.command(
        "sudo rm /etc/udev/rules.d/71-push-to-talk.rules && sudo udevadm control --reload"
    )

    @Test func `a rule and a headset that can be read are two lines`() {
        #expect(facts.findings(isAtSeat: true).map(\.check) == [.udevRule, .headset])
        #expect(problems(facts.findings(isAtSeat: true)).isEmpty)
    }

    @Test mutating func `a rule that is missing, masked or hidden`() {
        facts.nodes = []
        facts.rules = []
        expect(
            facts.findings(isAtSeat: true),
            curedBy: .command("sudo apt install --reinstall push-to-talk"),
            "not installed"
        )
        let path = "/etc/udev/rules.d/71-push-to-talk.rules"
        facts.rules = [.init(path: path, isMask: true), Self.installed]
        expect(facts.findings(isAtSeat: true), curedBy: removal, "masks")
        facts.rules[0].isMask = false
        expect(facts.findings(isAtSeat: true), isFailure: false, curedBy: removal, "in place of")
    }

    @Test mutating func `a headset from before the rule is triggered`() {
        facts.nodes[0].tags = []
        expect(
            facts.findings(isAtSeat: true),
            isFailure: false,
            curedBy: .command("sudo udevadm trigger -s input -c change"),
            "Headset"
        )
    }

    @Test mutating func `a headset that cannot be read is a failure only in front of the screen`() {
        facts.nodes[0].isReadable = false
        let trigger = Cure.command("sudo udevadm trigger -s input -c change")
        expect(facts.findings(isAtSeat: true), curedBy: trigger, "/dev/input/event5")
        expect(facts.findings(isAtSeat: nil), curedBy: trigger, "/dev/input/event5")
        let login = Cure.advice(Text("log in at the screen to use a wired headset"))
        expect(facts.findings(isAtSeat: false), isFailure: false, curedBy: login, "/dev/input/event5")
    }

    @Test(arguments: [true, false])
    func `a headset that is divided is one, which is read at its halves`(isReadable: Bool) {
        func node(_ sysname: String, _ phys: String) -> InputNode {
            InputNode(
                sysname: sysname,
                devnode: "/dev/input/" + sysname,
                name: "Headset",
                phys: phys,
                isReadable: sysname == "event5" || isReadable,
                tags: ["push-to-talk"]
            )
        }
        let nodes = [
            node("event5", "usb-1/input3"), node("event8", "split/few/event5/usb-1/input3"),
            node("event9", "split/rest/event5/usb-1/input3"),
        ]
        var headset = nodes[0]
        headset.isReadable = isReadable
        #expect(UdevFacts.headsets(among: nodes) == [headset])
    }

    @Test mutating func `the group input is not needed`() {
        facts.isInInputGroup = true
        let cure = Cure.command("sudo gpasswd --delete \"$USER\" input")
        expect(facts.findings(isAtSeat: true), isFailure: false, curedBy: cure, "every program")
    }
}

@Suite struct BluetoothFindingTests {
    private static let button = BluetoothFacts.Button(
        address: "F0:F1:F2:F3:F4:01",
        name: "Left hand",
        isBlocked: false
    )
    private var facts = BluetoothFacts(
        daemon: .running,
        adapters: [.init(name: "hci0", address: "00:00:00:00:00:01", isPowered: true)],
        radios: [.on],
        buttons: [Self.button]
    )
    private var findings: [Finding] { BluetoothFacts.findings(.success(facts)) }

    @Test func `an adapter that is on is well`() {
        #expect(findings == Check.bluetooth.ok(Text("hci0 (00:00:00:00:00:01) is on")))
    }

    @Test(
        arguments: [
            (BluetoothFacts.Daemon.stopped, "sudo systemctl enable --now bluetooth"),
            (.masked, "sudo systemctl unmask bluetooth && sudo systemctl enable --now bluetooth"),
            (.notInstalled, "sudo apt install bluez"), (.hung, "sudo systemctl restart bluetooth"),
        ]
    )
    mutating func `without bluetoothd a button fails, and one that is not there is missed by nobody`(
        daemon: BluetoothFacts.Daemon,
        command: String
    ) {
        facts.daemon = daemon
        expect(findings, curedBy: .command(command), "")
        facts.buttons = []
        expect(findings, isFailure: false, curedBy: .command(command), "")
    }

    @Test mutating func `an adapter is off, blocked by software, by a switch, or not there`() {
        facts.adapters[0].isPowered = false
        expect(findings, curedBy: .command("bluetoothctl power on"), "is off")
        facts.radios = [.softBlocked]
        expect(findings, curedBy: .command("rfkill unblock bluetooth"), "switched off")
        facts.radios = [.hardBlocked]
        #expect(problems(findings).first?.text.english.contains("switch of this machine") == true)
        facts.radios = []
        facts.adapters = []
        #expect(problems(findings).map(\.text.english) == ["there is no Bluetooth adapter"])
    }

    @Test mutating func `an enrolled button is unknown or blocked`() {
        facts.buttons[0].isBlocked = nil
        expect(findings, curedBy: .command("pttctl pair"), "Left hand")
        facts.buttons[0].isBlocked = true
        expect(findings, curedBy: .command("bluetoothctl unblock F0:F1:F2:F3:F4:01"), "Left hand")
    }

    @Test mutating func `two adapters with one address are a warning`() {
        facts.adapters.append(.init(name: "hci1", address: "00:00:00:00:00:01", isPowered: true))
        #expect(problems(findings).map(\.cure) == [.advice(Text("unplug one of hci0, hci1"))])
    }

    @Test func `a system bus that is not there or hangs is a failure`() {
        #expect(BluetoothFacts.findings(.failure(.timedOut)).map(\.isFailure) == [true])
        #expect(BluetoothFacts.findings(.failure(.unreachable("x"))).map(\.isFailure) == [true])
    }
}

@Suite struct DeviceFindingTests {
    @Test func `the command in a remark of ptt-accessoryd is the cure`() {
        func device(_ remark: String?, _ link: LinkState = .away) -> AccessoryDevice {
            AccessoryDevice(
                kind: .bluetoothButton,
                identifier: "F0:F1:F2:F3:F4:01",
                name: "Left hand",
                profile: nil,
                mode: .hold,
                link: link,
                isPressed: false,
                remark: remark
            )
        }
        let devices = [
            device("it has lost its bond: run `pttctl repair F0:F1:F2:F3:F4:01`"), device(nil),
            device("odd", .ready), device("Bluetooth is off"),
            device("named `pttctl x; reboot`"),
        ]
        let facts = DaemonFacts(
            core: .missing,
            accessory: .answered(version: "1"),
            devices: .init(devices: devices, isCoreConnected: true)
        )
        #expect(
            facts.deviceFindings.map(\.cure) == [
                .command("pttctl repair F0:F1:F2:F3:F4:01"),
                .advice(Text("`pttctl monitor` shows what it does")),
                .advice(Text("`pttctl monitor` shows what it does")),
            ]
        )
    }
}

@Suite struct KernelFindingTests {
    @Test func `a sandbox, Windows and a kernel without uhid are warnings`() {
        func findings(sandbox: Text? = nil, isWSL: Bool = false, hasUHID: Bool = true) -> [Finding] {
            KernelFacts(sandbox: sandbox, isWSL: isWSL, hasUHID: hasUHID).findings
        }
        #expect(problems(findings()).isEmpty)
        let outside = Cure.advice(Text("run pttctl doctor outside of it"))
        expect(findings(sandbox: Text("Flatpak")), isFailure: false, curedBy: outside, "Flatpak")
        #expect(problems(findings(isWSL: true)).first?.text.english.contains("Windows") == true)
        let load = Cure.command("sudo modprobe uhid")
        expect(findings(hasUHID: false), isFailure: false, curedBy: load, "/dev/uhid")
    }

    @Test func `what is missing without namespaces is said with the reason`() {
        func text(_ namespaces: KernelFacts.Namespaces) -> String {
            let findings = KernelFacts(sandbox: nil, isWSL: false, hasUHID: true, namespaces: namespaces)
                .findings
            #expect(problems(findings).isEmpty)
            return findings.dropFirst().map(\.text.english).joined()
        }
        #expect(text(.granted).isEmpty)
        #expect(text(.unprivileged).hasPrefix("AppArmor"))
        #expect(text(.unprivileged).contains(" PrivateDevices="))
        #expect(!text(.unprivileged).contains("PrivateUsers="))
        let refused = text(.refused(setting: "user.max_user_namespaces=0"))
        #expect(refused.hasPrefix("user.max_user_namespaces=0 grants"))
        #expect(refused.contains("PrivateUsers=, PrivateDevices="))
        // The generator changes four units, that of the indicator among them.
        #expect(refused.contains("push-to-talk's services run without"))
        for option in ["System", "Home", "KernelTunables", "ControlGroups"] {
            #expect(refused.contains("Protect\(option)="), "\(option)")
        }
    }
}
