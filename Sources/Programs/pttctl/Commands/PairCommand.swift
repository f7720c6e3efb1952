import AccessoryCore
import ArgumentParser
import CommandLineTool
import EventLoop
import Invocation
import PTTMessages
import ServiceClient

struct PairCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Find a Bluetooth button, a joystick or a USB device with keys, and enrol it.",
        discussion: """
            Press the button during the scan: most buttons can be found only for a few seconds after a press. With a name \
            or an address the first matching device is paired; without one you choose from a list.

            Then press and release its talk button once, when asked. That transmits nothing; from then on its presses \
            count. A button that is enrolled already is tested again, and keeps what you do not name.

            A joystick, a gamepad or a USB device with keys is found by the press of the key that you want to talk with, \
            which needs no test. A button that encrypts its presses, as Shelly's can, needs its key, which is asked for.
            """
    )

    @Argument(help: "A Bluetooth address, the identity of an input device, or the name of the device.")
    var device: String?

    @OptionGroup var scan: ScanOptions

    @Option(
        help: """
            hold: talk while it is held. toggle: one press begins, the next ends. latch: as hold, but after a tap until \
            the next press.
            """
    )
    var mode: ButtonModeArgument?

    @Option(help: "A name for it, in place of its own.")
    var name: String?

    @Option(help: "The accessory file that describes it, in place of the best match.")
    var accessory: String?

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let found = try await DeviceChoice(wanted: device).device(seconds: scan.seconds)
        if let key = found.key { return try enrol(found, key) }
        let enrolment = try enrolment(of: DeviceIdentity(bluetoothAddress: found.address))
        try await PairingDialog(address: found.address, json: output.json, seconds: scan.testSeconds)
            .enrol(enrolment)
    }

    /// Returns the enrolment of a device so far, or else a new one, with what is chosen here.
    private func enrolment(of identity: DeviceIdentity) throws -> Enrolment {
        var enrolment = try EnrolledDeviceFile.enrolment(of: identity)
        enrolment.accessory = accessory.map { AccessoryArgument.identifier($0) } ?? enrolment.accessory
        enrolment.mode = mode?.mode ?? enrolment.mode
        enrolment.name = name ?? enrolment.name
        return enrolment
    }

    /// The press that has found an input device is its test.
    private func enrol(_ device: AccessoryInterface.Discovery, _ key: String) throws {
        guard let identity = DeviceIdentity(device.address), let code = Enrolment.keyCode(of: key) else {
            throw CommandError(localized("nothing can be enrolled as \(key) of \(device.name)"))
        }
        var enrolment = try enrolment(of: identity)
        enrolment.key = code
        try EnrolledDeviceFile.set(enrolment)
        let line = localized("enrolled  \(enrolment.name ?? device.name)  \(key) \(identity.text)")
        output.print(device, or: line)
    }
}

struct RepairCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Remove what BlueZ knows of a Bluetooth button, and pair it again.",
        discussion: """
            For a button that has lost its bond, that was bonded although it loses it, or whose services BlueZ remembers \
            wrongly: `pttctl devices` says so. It stays enrolled as it is.
            """
    )

    @Argument(help: "Its Bluetooth address, as `pttctl devices` shows it.")
    var address: String

    @OptionGroup var scan: ScanOptions

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        do {
            let remark = try await ServiceConnection.accessory().forget(address)
            if let remark { Terminal.printError(remark) }
        } catch ServiceError.failed(name: AccessoryInterface.deviceNotFound, reason: _) {
            // Nothing is left to remove.
        }
        let found = try await DeviceChoice(wanted: address).device(seconds: scan.seconds)
        let identity = DeviceIdentity(bluetoothAddress: found.address)
        let enrolment = try EnrolledDeviceFile.enrolment(of: identity)
        try await PairingDialog(address: found.address, json: output.json, seconds: scan.testSeconds)
            .enrol(enrolment)
    }
}

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove a Bluetooth button, its bond and its enrolment, and write its settings back.",
        discussion: "Of an input device, a joystick for example, only the enrolment is removed."
    )

    @Argument(help: "Its Bluetooth address or its identity, as `pttctl devices` shows it.")
    var address: String

    func run() throws {
        if DeviceIdentity(bluetoothAddress: address).bluetoothAddress == nil,
            let identity = DeviceIdentity(address)
        {
            guard try EnrolledDeviceFile.remove(identity) else {
                throw CommandError(localized("\(address) is not enrolled: `pttctl devices` lists what is"))
            }
            return
        }
        try runOnLoop {
            let result: Result<String?, ServiceError>
            do throws(ServiceError) {
                // First: the daemon knows from the entry what to write back.
                result = .success(try await ServiceConnection.accessory().forget(address))
            } catch {
                result = .failure(error)
            }
            // Whatever happened to the rest, its presses no longer count.
            let wasEnrolled = try EnrolledDeviceFile.remove(DeviceIdentity(bluetoothAddress: address))
            switch result {
            case .success(let remark): if let remark { Terminal.printError(remark) }
            case .failure(.failed(name: AccessoryInterface.deviceNotFound, reason: _)) where wasEnrolled:
                break
            case .failure(let error): throw error
            }
        }
    }
}

struct ScanOptions: ParsableArguments {
    @Option(help: "How long to scan, in seconds.")
    var seconds = 30

    @Option(help: "How long to wait for the press and the release, in seconds.")
    var testSeconds = 60

    func validate() throws {
        for (name, value, limits) in [
            ("seconds", seconds, AccessoryInterface.ScanRequest.limits),
            ("test-seconds", testSeconds, AccessoryInterface.PairAndTestRequest.limits),
        ] where !limits.contains(value) {
            throw ValidationError("--\(name) must be \(limits.lowerBound) to \(limits.upperBound)")
        }
    }
}

enum ButtonModeArgument: String, ExpressibleByArgument, CaseIterable {
    case hold, toggle, latch

    var mode: ButtonMode {
        switch self {
        case .hold: .hold
        case .toggle: .toggle
        case .latch: .latch
        }
    }
}

enum AccessoryArgument {
    /// The identifier of a file that a person names with or without its folder and extension.
    static func identifier(_ text: String) -> String {
        let file = text.split(separator: "/").last.map { String($0) } ?? text
        return file.hasSuffix(".toml") ? String(file.dropLast(5)) : file
    }
}
