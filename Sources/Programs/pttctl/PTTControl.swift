import ArgumentParser
import CommandLineTool
import PTTMessages

@main
struct PTTControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pttctl",
        abstract: "Inspect and control push-to-talk.",
        discussion: """
            To start: `pttctl pair` your button, choose the Push-to-Talk Microphone in your call, then hold the button to \
            talk; `pttctl monitor` shows every event. If something does not work: `pttctl doctor`.

            Exit codes: 0 success, 1 refused or failed, 64 wrong usage, 69 a daemon cannot be reached.
            """,
        version: Product.version,
        subcommands: [
            StatusCommand.self, DoctorCommand.self, MonitorCommand.self, JoinCommand.self, LeaveCommand.self,
            TalkCommand.self,
            RecordCommand.self, VolumeCommand.self, PushCommand.self, DevicesCommand.self, PairCommand.self,
            LearnCommand.self,
            RepairCommand.self, ForgetCommand.self,
            AccessoryCommand.self, ActionCommand.self, MicrophoneCommand.self,
            GrantCommand.self, RevokeCommand.self,
        ]
    )

    static func main() { runAndExit() }
}
