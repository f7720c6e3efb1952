import ArgumentParser
import Diagnosis
import PTTMessages
import ServiceClient

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the channel, the transmission and the audio session."
    )

    @OptionGroup var output: OutputOptions

    func run() throws {
        let json = output.json
        try runOnLoop {
            let status = try await ServiceConnection.core().status()
            if json { return try Terminal.print(status) }
            var unheard: [UnheardDevice] = []
            // What only the sound server knows. Without its answer the rest is as true.
            if status.virtualMicrophone.isPresent,
                case .success(let facts) = await SoundFacts.observed(preferring: [])
            {
                unheard = facts.unheardDevices
            }
            for line in Wording.lines(status, unheard) { Terminal.print(line) }
        }
    }
}

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List buttons and headsets, with their problems."
    )

    @OptionGroup var output: OutputOptions

    func run() throws {
        let json = output.json
        try runOnLoop {
            let reply = try await ServiceConnection.accessory().devices()
            if json { return try Terminal.print(reply) }
            for device in reply.devices { Terminal.print(Wording.line(device)) }
            if reply.devices.isEmpty {
                Terminal.print(
                    "no buttons and no headsets: pair a Bluetooth button with `pttctl pair`, or plug a headset in"
                )
            }
            if !reply.isCoreConnected {
                Terminal.print("ptt-accessoryd is not connected to the core: see `pttctl status`")
            }
        }
    }
}
