import ArgumentParser
import Diagnosis
import EventLoop

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out what keeps push-to-talk from working, and what cures it.",
        discussion: """
            Checks this machine from the core outwards. Each line is ok, a warning or a failure, and the line below it \
            has the command that cures it. It changes nothing. The exit code is 1 if there is a failure.
            """
    )

    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("Read files below this directory.", visibility: .private))
    var root = ""

    func run() throws {
        let (json, root) = (output.json, root)
        try runOnLoop {
            let findings = await Host(root: root).facts().findings
            for finding in findings {
                if json {
                    try Terminal.print(FindingRecord(finding))
                } else {
                    for line in Wording.lines(finding) { Terminal.print(line) }
                }
            }
            if findings.contains(where: \.isFailure) { throw ExitCode.failure }
        }
    }
}
