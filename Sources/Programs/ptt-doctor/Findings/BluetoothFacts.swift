import CommandLineTool
import PTTMessages

/// The facts about Bluetooth that BlueZ and the kernel report.
struct BluetoothFacts: Equatable, Sendable {
    struct Adapter: Equatable, Sendable {
        /// `hci0`
        var name: String
        var address: String
        var isPowered: Bool
    }

    /// A switch of a Bluetooth radio (rfkill(8)).
    enum Radio: Equatable, Sendable {
        case on
        /// Switched off by software.
        case softBlocked
        /// Switched off by a switch or the firmware, and perhaps by software as well.
        case hardBlocked
    }

    /// An enrolled button.
    struct Button: Equatable, Sendable {
        var address: String
        var name: String
        /// Nil if BlueZ does not know the device.
        var isBlocked: Bool?
    }

    /// bluetoothd.
    enum Daemon: Equatable, Sendable {
        case running
        case stopped
        case masked
        case notInstalled
        /// It has the name on the bus, and does not answer.
        case hung
    }

    var daemon: Daemon
    var adapters: [Adapter] = []
    var radios: [Radio] = []
    var buttons: [Button] = []

    static func findings(_ facts: Result<BluetoothFacts, Silence>) -> [Finding] {
        switch facts {
        case .success(let facts): facts.findings
        case .failure(.timedOut):
            Check.bluetooth.failure(Text("the system bus does not answer"), cure: .command("sudo reboot"))
        case .failure(.unreachable(let reason)):
            Check.bluetooth.failure(
                Text("the system bus cannot be reached: \(reason)"),
                cure: .command("sudo systemctl start dbus")
            )
        }
    }

    private var findings: [Finding] {
        let problem = [daemonProblem, radioProblem, adapterProblem].first { !$0.isEmpty }
        if let problem { return problem }
        let names = adapters.filter(\.isPowered).map { "\($0.name) (\($0.address))" }
        let on = Check.bluetooth.ok(Text("\(names.joined(separator: ", ")) is on"))
        return on + sameAddress + buttons.flatMap(Self.problem)
    }

    /// Without an enrolled button a person may have no use for Bluetooth.
    private func problem(_ text: Text, _ cure: Cure) -> [Finding] {
        if buttons.isEmpty { return Check.bluetooth.warning(text, cure: cure) }
        return Check.bluetooth.failure(text, cure: cure)
    }

    private var daemonProblem: [Finding] {
        switch daemon {
        case .running: []
        case .stopped:
            problem(Text("bluetoothd does not run"), .command("sudo systemctl enable --now bluetooth"))
        case .masked:
            problem(
                Text("bluetooth.service is masked"),
                .command("sudo systemctl unmask bluetooth && sudo systemctl enable --now bluetooth")
            )
        case .notInstalled: problem(Text("BlueZ is not installed"), .install(.bluetooth))
        case .hung:
            problem(
                Text("bluetoothd hangs: it does not answer"),
                .command("sudo systemctl restart bluetooth")
            )
        }
    }

    private var radioProblem: [Finding] {
        guard !radios.isEmpty, !adapters.contains(where: \.isPowered) else { return [] }
        if radios.allSatisfy({ $0 == .hardBlocked }) {
            return problem(
                Text("Bluetooth is switched off by a switch of this machine, or by its firmware"),
                .advice(Text("use the switch or the key with the aeroplane"))
            )
        }
        if !radios.contains(.on) {
            return problem(Text("Bluetooth is switched off"), .command("rfkill unblock bluetooth"))
        }
        return []
    }

    private var adapterProblem: [Finding] {
        if adapters.isEmpty {
            return problem(
                Text("there is no Bluetooth adapter"),
                .advice(
                    Text("plug an adapter in; `sudo dmesg | grep -i bluetooth` has the errors of one that is")
                )
            )
        }
        guard !adapters.contains(where: \.isPowered) else { return [] }
        return problem(Text("the Bluetooth adapter is off"), .command("bluetoothctl power on"))
    }

    private var sameAddress: [Finding] {
        let addresses = adapters.map(\.address)
        guard Set(addresses).count < addresses.count else { return [] }
        return Check.bluetooth.warning(
            Text(
                "two adapters have the same address: buttons connect to either of them, and the bonds fit one"
            ),
            cure: .advice(Text("unplug one of \(adapters.map(\.name).joined(separator: ", "))"))
        )
    }

    private static func problem(_ button: Button) -> [Finding] {
        switch button.isBlocked {
        case nil:
            Check.buttons.failure(
                Text("\(button.name) is enrolled, and BlueZ does not know it any more"),
                cure: .command("pttctl pair")
            )
        case true?:
            Check.buttons.failure(
                Text("\(button.name) is blocked in BlueZ"),
                cure: .command("bluetoothctl unblock \(ShellArgument(button.address))")
            )
        case false?: []
        }
    }
}
