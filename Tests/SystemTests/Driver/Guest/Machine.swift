import EventLoop
import Glibc
import JSON

/// The guest's system services, devices and their faults, and what can be seen of the daemons from outside.
@EventLoop
enum Machine {
    static let card = "/sys/bus/platform/drivers/snd_aloop"
    private static let microphone = "alsa_input.platform-snd_aloop.0.analog-stereo"

    static let adapterAddress = "00:1B:DC:00:00:01"

    // MARK: - As root

    @discardableResult
    static func root(_ script: String) async throws -> String {
        try await Command.output(of: ["sudo", "-n", "sh", "-c", script])
    }

    static func rfkill(isBlocked: Bool) async throws {
        try await root("rfkill \(isBlocked ? "block" : "unblock") bluetooth")
    }

    static func powerAdapter(_ isOn: Bool) async throws {
        try await Command.output(of: [
            "busctl", "--system", "set-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1",
            "Powered",
            "b", "\(isOn)",
        ])
    }

    /// Debian's unit does not start it again.
    static func killBluetoothDaemon() async throws {
        try await root("pkill -KILL -x bluetoothd")
    }

    /// The object of a device of bluetoothd.
    static func path(of button: Button) -> String {
        "/org/bluez/hci0/dev_" + button.address.split(separator: ":").joined(separator: "_")
    }

    /// Scans until bluetoothd has found the button, without pairing it.
    static func found(_ button: Button) async throws {
        let scan = try Command(["pttctl", "pair", "nobody", "--seconds", "60"])
        defer { scan.signal(SIGINT) }
        try await eventually("\(button.name) is found") {
            try await Command.run([
                "busctl", "--system", "get-property", "org.bluez", path(of: button), "org.bluez.Device1",
                "Address",
            ]).status == 0
        }
    }

    /// Finds a headset, bonds with it and trusts it, as the desktop does.
    static func bonded(_ button: Button) async throws {
        try await found(button)
        let device = path(of: button)
        try await root(
            "busctl --timeout=60 call org.bluez \(device) org.bluez.Device1 Pair && "
                + "busctl set-property org.bluez \(device) org.bluez.Device1 Trusted b true"
        )
    }

    /// The command that deletes what bluetoothd knows of the button, its bond too.
    static func removal(of button: Button) -> String {
        "busctl call org.bluez /org/bluez/hci0 org.bluez.Adapter1 RemoveDevice o \(path(of: button))"
    }

    static func soundCard(isBound: Bool) async throws {
        try await root("echo snd_aloop.0 > \(card)/\(isBound ? "bind" : "unbind")")
    }

    /// Waits until the tone can be recorded again.
    static func microphoneIsBack() async throws {
        try await eventually("the microphone is back") {
            let answer = try await Command.run(["pactl", "get-default-source"])
            return answer.status == 0 && answer.output.contains(microphone)
        }
        // systemd restarts the player of the tone a moment later.
        try await eventually("the tone is back") {
            try await Command.run(["/opt/guest/hear", "--seconds", "0.3"]).status == 0
        }
    }

    /// Which input devices a process has open.
    static func openInputDevices(of processID: Int) async throws -> String {
        try await root("ls -l /proc/\(processID)/fd | grep -o '/dev/input/.*' || true")
    }

    // MARK: - User services

    @discardableResult
    static func systemctl(_ arguments: String...) async throws -> String {
        try await Command.output(of: ["systemctl", "--user"] + arguments)
    }

    /// It reads its configuration, and that of the packages.
    static func restartSoundServer() async throws {
        try await systemctl("restart", "pipewire")
        try await microphoneIsBack()
    }

    static func kill(_ units: String...) async throws {
        try await Command.output(of: ["systemctl", "--user", "kill", "--signal=KILL"] + units)
    }

    /// A property of a unit, `MainPID` for example.
    static func property(_ name: String, of unit: String) async throws -> String {
        let text = try await systemctl("show", "-P", name, unit)
        return text.split(separator: "\n").first.map { String($0) } ?? ""
    }

    static func isActive(_ unit: String) async throws -> Bool {
        try await property("ActiveState", of: unit) == "active"
    }

    static func processID(of unit: String) async throws -> Int {
        guard let processID = Int(try await property("MainPID", of: unit)), processID > 0 else {
            throw Failure("\(unit) is not running")
        }
        return processID
    }

    static func residentKilobytes(of processID: Int) async throws -> Int {
        let text = try await root("awk '/^VmRSS/ { print $2 }' /proc/\(processID)/status")
        guard let number = Int(text.prefix { $0.isNumber }) else {
            throw Failure("no memory of \(processID)")
        }
        return number
    }

    // MARK: - From outside

    /// True if the sound server has a capture stream of the core.
    static func coreRecords() async throws -> Bool {
        let answer = try await Command.run(["pactl", "list", "source-outputs"])
        return answer.status == 0 && answer.output.contains("application.process.binary = \"pttd\"")
    }

    /// Checks that no program of the user records. A sound server that is away is asked again.
    static func nothingRecords(within limit: Duration = standardLimit) async throws {
        var last = ""
        do {
            try await eventually("no capture stream is left", within: limit) {
                let answer = try await Command.run(["pactl", "list", "short", "source-outputs"])
                last = answer.output
                return answer.status == 0 && answer.output.isEmpty
            }
        } catch {
            throw Failure("\(error): \(last)")
        }
    }

    /// The output of `pttctl status --json`.
    static func status() async throws -> JSONObject {
        let text = try await Command.output(of: ["pttctl", "status", "--json"])
        guard let status = try JSON(parsing: text).object else {
            throw Failure("pttctl status printed \(text)")
        }
        return status
    }

    static func nothingTransmits() async throws {
        let status = try await status()
        let transmission = status["transmission"] ?? .null
        guard transmission == .null, status["audio"] == "inactive" else {
            throw Failure("pttctl status still shows a transmission: \(status)")
        }
    }
}
