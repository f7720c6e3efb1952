import ArgumentParser

@main
struct SimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ptt-sim",
        abstract: "Simulated push-to-talk accessories, to try and test without hardware.",
        subcommands: [ButtonsCommand.self, HeadsetCommand.self, DemoCommand.self],
        defaultSubcommand: ButtonsCommand.self
    )
}
