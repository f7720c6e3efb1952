import ArgumentParser
import CommandLineTool
import PTTMessages
import ServiceClient

struct VolumeCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume",
        abstract: "Show or set how loud participants are heard.",
        discussion:
            "It applies to push-to-talk only, is kept over a restart, and leaves the volume of the system alone."
    )

    @Argument(help: "In percent, 0 to 150.")
    var percent: Int?

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let core = try ServiceConnection.core()
        if let percent { _ = try await core.call(ChannelInterface.setVolume, .init(volume: percent)) }
        let volume = try await core.status().volume
        output.print(["volume": volume], or: "\(volume) %")
    }
}
