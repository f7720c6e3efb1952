import ArgumentParser
import Diagnosis
import EventLoop

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

    @OptionGroup var output: OutputOptions

    @Option(help: "Record from the microphone for this time, for example 1s, and report the loudest sample.")
    var record: TimeSpan?

    @Option(help: ArgumentHelp("Read files below this directory.", visibility: .private))
    var root = ""

    func run() throws {
        let (json, root, record) = (output.json, root, record)
        try runOnLoop {
            let findings = await Host(root: root).facts(recording: record?.duration).findings
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
