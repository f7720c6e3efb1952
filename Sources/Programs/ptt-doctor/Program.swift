import ArgumentParser
import CommandLineTool
import EventLoop
import PTTMessages

@main
struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ptt-doctor",
        abstract: "The program that `pttctl doctor` runs.",
        version: Product.version
    )

    @OptionGroup var options: DoctorOptions

    static func main() { runAndExit() }

    func run() throws {
        try runOnLoop {
            let findings = await Host(root: options.root).findings(recording: options.record?.duration)
            for finding in findings {
                if options.output.json {
                    Terminal.print(FindingRecord(finding))
                } else {
                    for line in finding.lines { Terminal.print(line) }
                }
            }
            if findings.contains(where: \.isFailure) { throw ExitCode.failure }
        }
    }
}
