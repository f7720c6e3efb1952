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
            exit(baseline_receive(arguments[1], arguments[2], nil))
        case "baseline-run" where arguments.count > 3:
            let command = arguments.dropFirst(3).map { strdup($0) } + [nil]
            exit(baseline_receive(arguments[1], arguments[2], command))
        // For Tests/SystemTests, which has virtual devices.
        case "baseline-key" where arguments.count == 3: exit(baseline_key(arguments[1], arguments[2]))
        case "baseline-relay" where arguments.count == 1: exit(baseline_relay())
        case .some(let name) where BaselineSound(rawValue: name) != nil:
            exit(BaselineSound(rawValue: name)?.run(Array(arguments.dropFirst())) ?? 64)
        case "attack" where arguments.count == 2:
            guard let attack = Attack(rawValue: arguments[1]) else { exit(64) }
            Attacker.run(attack)
        case _:
            let parts = arguments.compactMap { Benchmark.Part(rawValue: $0) }
            let attacks = arguments.compactMap { Attack(rawValue: $0) }
            guard parts.count + attacks.count == arguments.count, attacks.isEmpty || parts.contains(.hostile)
            else {
                let known = Benchmark.Part.allCases.map(\.rawValue).joined(separator: "|")
                let attacks = Attack.allCases.map(\.rawValue).joined(separator: "|")
                complain("usage: ptt-bench [\(known)]…; all parts if none is named")
                complain("or: ptt-bench hostile [\(attacks)]…; all attacks if none is named")
                exit(64)
            }
            let chosen = parts.isEmpty ? Set(Benchmark.Part.allCases) : Set(parts)
            let chosenAttacks = attacks.isEmpty ? Attack.allCases : attacks
            // What it awaits has no limits of its own, which would be timers in what is measured. All of it
            // takes some twelve minutes; the signal ends it, and the kernel what it has started.
            alarm(3600)
            exit(EventLoop.run { await Benchmark.run(chosen, chosenAttacks) })
        }
    }
}

/// Writes to standard error what went wrong.
func complain(_ text: String) {
    let line = "ptt-bench: \(text)\n"
    // Nowhere is left to report that standard error cannot be written.
    _ = write(STDERR_FILENO, line, line.utf8.count)
}
