import ArgumentParser
import PTTMessages
import ServiceClient

struct JoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join a channel, so that presses transmit.",
        discussion:
            "The channel belongs to nobody; an application can take it over, `pttctl record` for example."
    )

    @Option(help: "The channel's name.")
    var name = "Push to Talk"

    @Option(help: "The channel's UUID. A new one if left out.", transform: channelID)
    var channel: ChannelID?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let (json, name, channel) = (output.json, name, channel)
        try onLoop {
            let reply = try await ServiceConnection.core().join(
                ChannelInterface.JoinRequest(channelID: channel, name: name, application: nil)
            )
            if json { try Terminal.say(reply) } else { Terminal.say("joined \(name), \(reply.channelID)") }
        }
    }
}

struct LeaveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Leave the channel. A transmission ends."
    )

    @OptionGroup var output: OutputOptions

    func run() throws {
        let json = output.json
        try onLoop {
            try await ServiceConnection.core().leave(nil)
            if !json { Terminal.say("left the channel") }
        }
    }
}

private func channelID(_ text: String) throws -> ChannelID {
    guard let identifier = ChannelID(text) else { throw ValidationError("\(text) is not a UUID") }
    return identifier
}
