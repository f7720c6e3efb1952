import ArgumentParser
import Glibc
import PTTMessages

@main
struct PTTControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pttctl",
        abstract: "Inspect and control push-to-talk.",
        discussion: """
            To start: `pttctl pair` your Bluetooth button, `pttctl join` a channel, then hold the button to talk; \
            `pttctl monitor` shows every event. If something does not work: `pttctl doctor`.

            Exit codes: 0 success, 1 refused or failed, 64 wrong usage, 69 a daemon cannot be reached.
            """,
        version: Product.version,
        subcommands: [
            StatusCommand.self, DoctorCommand.self, MonitorCommand.self, JoinCommand.self, LeaveCommand.self,
            TalkCommand.self,
            RecordCommand.self, VolumeCommand.self, PushCommand.self, DevicesCommand.self, PairCommand.self,
            LearnCommand.self,
            RepairCommand.self, ForgetCommand.self,
            AccessoryCommand.self, MicrophoneCommand.self,
            GrantCommand.self, RevokeCommand.self,
        ]
    )

    static func main() {
        var failure: (any Error)?
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            failure = error
        }
        // Not `exit(withError:)`, which prints past ``Terminal`` and does not know whether anything could be written.
        var code = failure.map { exitCode(for: $0) } ?? .success
        Terminal.printMessage(failure.map { fullMessage(for: $0) } ?? "", isError: code != .success)
        if !Terminal.finish(), code == .success { code = .failure }
        Glibc.exit(code.rawValue)
    }
}

/// Options of every command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, one value per line.")
    var json = false
}

/// A duration on the command line: `3s`, `500ms`, `2m`.
struct TimeSpan: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60)]
        guard let (suffix, scale) = units.first(where: { argument.hasSuffix($0.0) }),
            let number = Double(argument.dropLast(suffix.count)), number > 0, number * scale <= 86_400
        else { return nil }
        duration = .seconds(number * scale)
    }
}
