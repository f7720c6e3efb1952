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
        case nil: exit(EventLoop.run { await Benchmark.run() })
        case "answer-varlink" where arguments.count == 2: exit(AnsweringService.run(at: arguments[1]))
        case "baseline-answer" where arguments.count == 2: exit(baseline_answer(arguments[1]))
        case "baseline-receive" where arguments.count == 3:
            exit(baseline_receive(arguments[1], arguments[2]))
        case "baseline-relay" where arguments.count == 1: exit(baseline_relay())
        case _?:
            complain("usage: ptt-bench, without arguments, in the directory of the release build")
            exit(64)
        }
    }
}

/// Writes to standard error what went wrong.
func complain(_ text: String) {
    let line = "ptt-bench: \(text)\n"
    // Nowhere is left to report that standard error cannot be written.
    _ = write(STDERR_FILENO, line, line.utf8.count)
}
