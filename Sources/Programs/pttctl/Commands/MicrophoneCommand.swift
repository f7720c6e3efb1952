import ArgumentParser
import CommandLineTool
import PTTMessages
import ServiceClient

struct MicrophoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "microphone",
        abstract: "The Push-to-Talk Microphone, which call applications record from.",
        subcommands: [Remove.self]
    )

    struct Remove: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove the Push-to-Talk Microphone from the audio server.",
            discussion: """
                It is refused while an application records from it: the audio server would let it record the real \
                microphone. pttd makes it again when it starts, unless pttd.toml has `virtual-microphone = false`. \
                What PipeWire's own configuration makes cannot be removed here; the reason names the file.
                """
        )

        @OptionGroup var output: OutputOptions

        func perform() async throws {
            _ = try await ServiceConnection.core()
                .call(ChannelInterface.removeVirtualMicrophone, NoParameters())
            if !output.json { Terminal.print("removed the Push-to-Talk Microphone") }
        }
    }
}
