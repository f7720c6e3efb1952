import ArgumentParser
import CommandLineTool
import Invocation
import PTTMessages
import ServiceClient

struct StatusCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the channel, the transmission and the audio session."
    )

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let reply = try await ServiceConnection.core().call(ChannelInterface.getStatus, NoParameters())
        if output.json { return Terminal.print(reply.status) }
        for line in Wording.lines(reply.status, reply.unheardDevices ?? []) { Terminal.print(line) }
    }
}

struct DevicesCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List buttons and headsets, with their problems."
    )

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let reply = try await ServiceConnection.accessory().devices()
        if output.json { return Terminal.print(reply) }
        for device in reply.devices { Terminal.print(Wording.line(device)) }
        if reply.devices.isEmpty {
            Terminal.print(
                localized(
                    "no buttons and no headsets: pair a Bluetooth button with `pttctl pair`, or plug a headset in"
                )
            )
        }
        if !reply.isCoreConnected {
            Terminal.print(localized("ptt-accessoryd is not connected to the core: see `pttctl status`"))
        }
    }
}
