import AccessoryCore
import AccessoryFiles
import ArgumentParser
import CommandLineTool
import EventLoop
import Glibc
import Invocation
import PTTMessages
import ServiceClient

struct LearnCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn",
        abstract: "Find out how an unknown button reports its presses, and use it.",
        discussion: """
            Takes a minute: you are asked to press and to let go. Nothing transmits meanwhile. If what the button sends can be \
            read in one way only, an accessory file and an entry in devices.toml are written; otherwise nothing is, and the \
            reason is shown.

            Only Bluetooth devices and the input devices that the system has marked as headsets are listened to, never \
            keyboards. For one key of a pedal that calls itself a keyboard: sudo pttctl grant.
            """
    )

    @Argument(help: "A Bluetooth address, as `pttctl pair` lists it, or a device of `pttctl devices`.")
    var device: String?

    @Option(help: "The name of the accessory file; by default made of the name of the device.")
    var name: String?

    @Flag(help: "Replace an accessory file of this name.")
    var replace = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let name, !name.isAccessoryIdentifier {
            throw ValidationError("--name has other characters than letters, digits, - and _")
        }
    }

    func perform() async throws {
        let json = output.json
        guard let device else { return try await Self.list() }
        let result = try await LearningDialog(self, device).run()
        let file = try LearnedFile(result, name: name, replaces: replace)
        if !json { for fact in result.learned.facts { Terminal.print("  \(fact)") } }
        if !yes, !json, isatty(STDIN_FILENO) == 1 {
            Terminal.print(localized("Use it like this? Type y and press Enter"))
            guard Terminal.readLine()?.lowercased().hasPrefix("y") == true else {
                throw CommandError(localized("nothing was written"))
            }
        }
        try file.write()
        let summary = LearnedFile.Summary(file, result.learned)
        output.print(summary, or: localized("written to \(file.path), and enrolled in devices.toml"))
        guard result.device.transport == "gatt" else { return }
        await Self.trust(device)
    }

    /// BlueZ reconnects only trusted devices. The accessory is enrolled already, so that a failure is no
    /// error.
    @EventLoop
    private static func trust(_ address: String) async {
        do throws(ServiceError) {
            _ = try await ServiceConnection.accessory().call(
                AccessoryInterface.pair,
                AccessoryInterface.AddressRequest(address: address),
                // For connecting and bonding.
                timeLimit: .seconds(120)
            )
        } catch {
            Terminal.printError(localized("\(error.text). To use the button: `pttctl pair \(address)`"))
        }
    }

    @EventLoop
    private static func list() async throws {
        let devices = try await ServiceConnection.accessory().devices().devices
        for device in devices { Terminal.print("\(device.identifier)  \(device.name)") }
        throw CommandError(
            localized("which device? One of these, or a Bluetooth address: `pttctl pair` lists what is near")
        )
    }
}
