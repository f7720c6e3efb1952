import CBaseline
import EventLoop
import Glibc

/// `ptt-bench`: measures push-to-talk and what it is compared with, side by side, and prints one table.
///
/// The first argument makes the same program one of the parts that it measures with.
@main
struct Program {
    static func main() {
        // A reader that has gone shows where it is written to.
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "answer-varlink" where arguments.count == 2: exit(AnsweringService.run(at: arguments[1]))
        case "baseline-answer" where arguments.count == 2: exit(baseline_answer(arguments[1]))
        case "baseline-receive" where arguments.count == 3:
            exit(baseline_receive(arguments[1], arguments[2]))
        case "baseline-relay" where arguments.count == 1: exit(baseline_relay())
        case _:
            let parts = arguments.compactMap { Benchmark.Part(rawValue: $0) }
            guard parts.count == arguments.count else {
                let known = Benchmark.Part.allCases.map(\.rawValue).joined(separator: "|")
                complain("usage: ptt-bench [\(known)]…; all parts if none is named")
                exit(64)
            }
            let chosen = parts.isEmpty ? Set(Benchmark.Part.allCases) : Set(parts)
            exit(EventLoop.run { await Benchmark.run(chosen) })
        }
    }
}

/// Writes to standard error what went wrong.
func complain(_ text: String) {
    let line = "ptt-bench: \(text)\n"
    // Nowhere is left to report that standard error cannot be written.
    _ = write(STDERR_FILENO, line, line.utf8.count)
}
