import EventLoop
import Glibc

/// `ptt-system-tests [WORD...]`: runs in the guest as the desktop user, against the installed system. A word is the
/// number of a part or stands in the name of a scenario; without words all scenarios run.
@main
struct Program {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        exit(EventLoop.run { EventLoop.exit(code: await run(Scenario.all.filter { $0.fits(words) })) })
    }

    @EventLoop
    private static func run(_ scenarios: [Scenario]) async -> Int32 {
        let lab = Lab()
        var failed = 0
        for scenario in scenarios where await !run(scenario, lab) { failed += 1 }
        say("\(scenarios.count - failed) passed, \(failed) failed")
        return failed == 0 && !scenarios.isEmpty ? EXIT_SUCCESS : EXIT_FAILURE
    }

    /// - Returns: Whether it passed, and left nothing open.
    @EventLoop
    private static func run(_ scenario: Scenario, _ lab: Lab) async -> Bool {
        let start = MonotonicInstant.now
        var problems: [String] = []
        let steps: [@EventLoop (Lab) async throws -> Void] = [
            scenario.body, { try await $0.nothingIsOpen() }, { try await $0.restore() },
        ]
        for step in steps {
            do { try await step(lab) } catch { problems.append("\(error)") }
        }
        let milliseconds = (MonotonicInstant.now - start).nanoseconds / 1_000_000
        let time = "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
        let verdict = problems.isEmpty ? "passed" : "FAILED"
        let reasons = problems.map { "\n        \($0)" }.joined()
        say("\(verdict)  \(scenario.part)  \(scenario.name) (\(time))\(reasons)")
        return problems.isEmpty
    }

    /// Unbuffered, because the host shows each line when it comes.
    private static func say(_ line: String) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }  // Nobody reads any more.
            bytes = bytes.dropFirst(count)
        }
    }
}
