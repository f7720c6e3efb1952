import ArgumentParser
import CommandLineTool
import EventLoop
import Glibc

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out what keeps push-to-talk from working, and what cures it.",
        discussion: """
            Checks this machine from the core outwards. Each line is ok, a warning or a failure, and the line below it \
            has the command that cures it. It changes nothing, and records nothing without --record. The exit code is 1 \
            if there is a failure.
            """
    )

    @OptionGroup var options: DoctorOptions

    /// By a program of its own, so that no other command loads the libraries for sound, buses and devices.
    func run() throws {
        let program = try Environment.programDirectory() + "/ptt-doctor"
        // Without the names of this program and of the command.
        let arguments = [program] + CommandLine.arguments.dropFirst(2)
        execv(program, arguments.map { strdup($0) } + [nil])
        throw CommandError("\(SystemError("run \(program)")): install push-to-talk again")
    }
}
