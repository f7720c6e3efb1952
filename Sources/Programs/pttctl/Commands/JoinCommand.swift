import ArgumentParser
import CommandLineTool
import PTTMessages
import ServiceClient

struct JoinCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join a channel, so that presses transmit.",
        discussion:
            "The channel has no application; one can attach to it later, for example `pttctl record`. Until `pttctl leave` "
            + "or a reboot it takes the buttons from the Push-to-Talk Microphone, and a press opens the microphone."
    )

    @Option(help: "The channel's name.")
    var name = "Push to Talk"

    @Option(help: "The channel's UUID. Default: a new one.", transform: channelID)
    var channel: ChannelID?

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let reply = try await ServiceConnection.core().join(
            ChannelInterface.JoinRequest(channelID: channel, name: name, application: nil)
        )
        output.print(reply, or: "joined \(name), \(reply.channelID)")
    }
}

struct LeaveCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Leave the channel, and end a transmission."
    )

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        try await ServiceConnection.core().leave(nil)
        if !output.json { Terminal.print("left the channel") }
    }
}

private func channelID(_ text: String) throws -> ChannelID {
    guard let identifier = ChannelID(text) else { throw ValidationError("\(text) is not a UUID") }
    return identifier
}
