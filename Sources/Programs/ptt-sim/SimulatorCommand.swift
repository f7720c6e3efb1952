import ArgumentParser
import PTTMessages

@main
struct SimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ptt-sim",
        abstract: "Simulated push-to-talk accessories, for trying and testing without hardware.",
        version: Product.version,
        subcommands: [ButtonsCommand.self, HeadsetCommand.self, DemoCommand.self],
        defaultSubcommand: ButtonsCommand.self
    )
}
