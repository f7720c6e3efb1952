import ArgumentParser
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
        try onLoop {
            let status = try await ServiceConnection.core().status()
            if json { try Terminal.say(status) } else { Terminal.say(Wording.line(status)) }
        }
    }
}

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List buttons and headsets, and what is wrong with them."
    )

    @OptionGroup var output: OutputOptions

    func run() throws {
        let json = output.json
        try onLoop {
            let reply = try await ServiceConnection.accessory().devices()
            if json { return try Terminal.say(reply) }
            for device in reply.devices { Terminal.say(Wording.line(device)) }
            if reply.devices.isEmpty {
                Terminal.say(
                    "no buttons and no headsets: pair a Bluetooth button with `pttctl pair`, or plug a headset in"
                )
            }
            if !reply.isCoreConnected {
                Terminal.say("ptt-accessoryd cannot reach the core: see `pttctl status`")
            }
        }
    }
}
