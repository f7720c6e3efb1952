import EventLoop
import Input
import JSON

extension Scenario {
    /// `pttctl doctor` names the fault of a machine, and the command that it gives cures it.
    static let doctor = [
        Scenario(part: 20, "pttctl doctor finds no failure on a machine where all is well", allIsWell),
        Scenario(
            part: 20,
            "pttctl doctor has the command for units that are disabled, masked or stopped",
            units
        ),
        Scenario(part: 20, "pttctl doctor has the command for Bluetooth that is off or blocked", bluetooth),
        Scenario(part: 20, "pttctl doctor has the command for a udev rule that is masked", maskedRule),
        Scenario(part: 20, "pttctl doctor has the command for a headset that may not be read", unreadable),
    ]

    private static func allIsWell(_ fixture: GuestFixture) async throws {
        let findings = try await Doctor.findings()
        let failures = findings.filter { $0.severity == "failure" }
        guard failures.isEmpty else { throw Failure("\(failures)") }
        for check in ["units", "core", "accessory-daemon", "udev-rule", "bluetooth", "sound", "microphone"] {
            guard findings.contains(where: { $0.check == check && $0.severity == "ok" }) else {
                throw Failure("\(check) is not ok: \(findings)")
            }
        }
    }

    private static func units(_ fixture: GuestFixture) async throws {
        try await Machine.systemctl("stop", "pttd.service", "ptt-accessoryd.service")
        let sockets = "pttd.socket ptt-accessoryd.socket"
        try await Machine.root("systemctl --global disable \(sockets)")
        try await Machine.systemctl("disable", "--now", "pttd.socket", "ptt-accessoryd.socket")
        try await Machine.systemctl("mask", "ptt-accessoryd.service")
        // In this order: a masked service keeps its socket from starting.
        try await Doctor.cure("units", "systemctl --user unmask ptt-accessoryd.service")
        try await Doctor.cure("units", "systemctl --user enable --now pttd.socket")
        try await Doctor.cure("units", "systemctl --user enable --now ptt-accessoryd.socket")
        try await Doctor.isOK("units")
        try await Machine.systemctl("stop", "pttd.service", "pttd.socket")
        // systemd leaves the file of the socket.
        try await Doctor.cure("core", "systemctl --user restart pttd.socket")
        // A start takes seconds on an emulated processor.
        try await eventually("the core answers") {
            try await Doctor.findings().contains { $0.check == "core" && $0.severity == "ok" }
        }
        // As the packages have it.
        try await Machine.root("systemctl --global enable \(sockets)")
    }

    private static func bluetooth(_ fixture: GuestFixture) async throws {
        try await Machine.rfkill(isBlocked: true)
        try await Doctor.cure("bluetooth", "rfkill unblock bluetooth", asRoot: true)
        try await eventually("bluetoothd has powered the adapter on") {
            // bluetoothd 5.66 may refuse it for a moment after the radio was unblocked.
            do { try await Machine.powerAdapter(true) } catch is Failure { return false }
            return try await Doctor.findings().contains { $0.check == "bluetooth" && $0.severity == "ok" }
        }
        try await Machine.powerAdapter(false)
        try await Doctor.cure("bluetooth", "bluetoothctl power on")
        try await Doctor.isOK("bluetooth")
    }

    private static func maskedRule(_ fixture: GuestFixture) async throws {
        let mask = "/etc/udev/rules.d/71-push-to-talk.rules"
        try await Machine.root("ln -s /dev/null \(mask) && udevadm control --reload")
        try await Doctor.cure("udev-rule", "sudo rm \(mask) && sudo udevadm control --reload")
        try await Doctor.isOK("udev-rule")
    }

    private static func unreadable(_ fixture: GuestFixture) async throws {
        try await atTheScreen { _ in
            let headset = try await Headset.plugIn("System Test Headset")
            _ = try await headset.ready(fixture.accessories)
            // As it was when no rule gave it to the session at the screen.
            let remove = "import os; os.removexattr('\(headset.node.devnode)', 'system.posix_acl_access')"
            try await Machine.root("python3 -c \"\(remove)\" && chmod 600 \(headset.node.devnode)")
            try await Doctor.cure("headset", "sudo udevadm trigger -s input -c change")
            try await eventually("the headset may be read") {
                try await Doctor.findings().contains {
                    $0.check == "headset" && $0.text.contains(headset.name) && $0.severity == "ok"
                }
            }
            headset.unplug()
        }
    }
}

/// `pttctl doctor` as the desktop user runs it.
@EventLoop
private enum Doctor {
    struct Finding: Decodable {
        let check: String
        let severity: String
        let text: String
        let command: String?
    }

    static func findings() async throws -> [Finding] {
        // It exits with 1 where there is a failure.
        let (status, output) = try await Command.run(["pttctl", "doctor", "--json"])
        let findings = try output.split(separator: "\n").map {
            try JSON(parsing: String($0)).decode(Finding.self, unknownKeys: .ignored)
        }
        guard status == (findings.contains { $0.severity == "failure" } ? 1 : 0) else {
            throw Failure("pttctl doctor ended with \(status): \(output)")
        }
        return findings
    }

    /// Requires a finding with this command, and runs it.
    static func cure(_ check: String, _ command: String, asRoot: Bool = false) async throws {
        let findings = try await findings()
        guard findings.contains(where: { $0.check == check && $0.command == command }) else {
            throw Failure(
                "no finding of \(check) with `\(command)`: \(findings.filter { $0.check == check })"
            )
        }
        if asRoot {
            try await Machine.root(command)
        } else {
            try await Command.output(of: ["sh", "-c", command])
        }
    }

    static func isOK(_ check: String) async throws {
        let findings = try await findings().filter { $0.check == check }
        guard !findings.isEmpty, findings.allSatisfy({ $0.severity == "ok" }) else {
            throw Failure("\(findings)")
        }
    }
}
