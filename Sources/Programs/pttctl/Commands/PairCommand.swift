import AccessoryCore
import ArgumentParser
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

struct PairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Find a Bluetooth button, connect to it, and enrol it.",
        discussion: """
            Press the button during the scan: most buttons can be found only for a few seconds after a press. With a name \
            or an address the first matching device is paired; without one you choose from a list.
            """
    )

    @Argument(help: "A Bluetooth address, or the name of the device.")
    var device: String?

    @Option(help: "How long to scan, in seconds.")
    var seconds = 30

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let limits = AccessoryInterface.ScanRequest.limits
        guard limits.contains(seconds) else {
            throw ValidationError("--seconds must be \(limits.lowerBound) to \(limits.upperBound)")
        }
    }

    func run() throws {
        let (json, device, seconds) = (output.json, device, seconds)
        try runOnLoop {
            let pairing = Pairing(json: json, wanted: device, stop: try StopSignal())
            let address = try await pairing.chooseAddress(seconds: seconds)
            if !json { Terminal.print("pairing \(address) …") }
            let reply = try await ServiceConnection.accessory().pair(address)
            try EnrolledDeviceFile.set(Enrolment(DeviceIdentity(bluetoothAddress: address)))
            if json {
                try Terminal.print(reply)
            } else {
                Terminal.print("paired  \(Wording.line(reply.device))")
            }
        }
    }
}

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove a Bluetooth button and its bond."
    )

    @Argument(help: "Its Bluetooth address, as `pttctl devices` shows it.")
    var address: String

    func run() throws {
        let address = address
        try runOnLoop {
            // First: whatever happens to the rest, its presses no longer count.
            try EnrolledDeviceFile.remove(DeviceIdentity(bluetoothAddress: address))
            try await ServiceConnection.accessory().forget(address)
        }
    }
}

/// Scans for devices, and lets the user choose one.
@EventLoop
private final class Pairing {
    private let json: Bool
    private let wanted: String?
    private let stop: StopSignal
    private var found: [AccessoryInterface.Discovery] = []
    private var choice: String?
    private var failure: (any Error)?
    private var input: DescriptorSource?

    init(json: Bool, wanted: String?, stop: StopSignal) {
        self.json = json
        self.wanted = wanted
        self.stop = stop
    }

    func chooseAddress(seconds: Int) async throws -> String {
        let scan = try ServiceConnection.accessory()
        scan.scan(seconds: seconds, { [self] in show($0) }, ended: { [self] in finish($0) })
        if wanted == nil {
            Terminal.printError("press the button now, then type its number and press Enter")
            input = try DescriptorSource(STDIN_FILENO, .readable) { [self] _ in readChoice() }
        }
        await stop.wait()
        input?.cancel()
        // Closing ends the scan: connecting is slow during a discovery.
        scan.close()
        if let failure { throw failure }
        guard let choice else {
            throw CommandError(
                wanted.map { "\($0) was not found: press the button during the scan, and keep it near" }
                    ?? "no device was chosen"
            )
        }
        return choice
    }

    private func show(_ device: AccessoryInterface.Discovery) {
        if let wanted {
            if device.address == wanted.uppercased() || device.name == wanted { choose(device.address) }
            return
        }
        guard !found.contains(where: { $0.address == device.address }) else { return }
        found.append(device)
        let profile = device.profile.map { ", probably \($0)" } ?? ""
        let signal = device.rssi.map { ", \($0) dBm" } ?? ""
        Terminal.print("\(found.count)  \(device.name)  \(device.address)\(signal)\(profile)")
    }

    private func readChoice() {
        guard let line = readLine(), let number = Int(line) else {
            failure = CommandError("no device was chosen")
            return stop.trigger()
        }
        guard found.indices.contains(number - 1) else {
            return Terminal.printError("there is no device \(number) yet")
        }
        choose(found[number - 1].address)
    }

    private func choose(_ address: String) {
        choice = address
        stop.trigger()
    }

    private func finish(_ error: ServiceError?) {
        failure = error
        if wanted != nil || found.isEmpty || error != nil { stop.trigger() }
    }
}
