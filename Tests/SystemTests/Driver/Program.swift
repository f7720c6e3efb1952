import EventLoop
import Glibc

/// `ptt-system-tests [FILTER...]`: runs in the guest as the desktop user, against the installed system. A
/// filter is the number of a part, `K/N` for every Nth part, or text in the name of a scenario; without one
/// all scenarios run. `ptt-system-tests parts` prints the numbers of the parts, the largest first.
@main
struct Program {
    static func main() {
        let filters = Array(CommandLine.arguments.dropFirst())
        exit(EventLoop.run { EventLoop.exit(code: await run(filters)) })
    }

    @EventLoop
    private static func run(_ filters: [String]) async -> Int32 {
        if filters != ["parts"] { return await run(Scenario.all.filter { $0.matches(filters) }) }
        for part in parts { say("\(part)") }
        return EXIT_SUCCESS
    }

    @EventLoop
    private static var parts: [Int] {
        let sizes = Dictionary(grouping: Scenario.all, by: \.part).mapValues(\.count)
        return sizes.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
    }

    @EventLoop
    private static func run(_ scenarios: [Scenario]) async -> Int32 {
        let fixture = GuestFixture()
        var failed = 0
        for scenario in scenarios where await !run(scenario, fixture) { failed += 1 }
        say("\(scenarios.count - failed) passed, \(failed) failed")
        return failed == 0 && !scenarios.isEmpty ? EXIT_SUCCESS : EXIT_FAILURE
    }

    /// - Returns: True if it passed, and left nothing open.
    @EventLoop
    private static func run(_ scenario: Scenario, _ fixture: GuestFixture) async -> Bool {
        let start = MonotonicInstant.now
        var problems: [String] = []
        let steps: [@EventLoop (GuestFixture) async throws -> Void] = [
            scenario.body, { try await $0.nothingIsOpen() }, { try await $0.restore() },
        ]
        for step in steps {
            do { try await step(fixture) } catch { problems.append("\(error)") }
        }
        let milliseconds = (MonotonicInstant.now - start).nanoseconds / 1_000_000
        let time = "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
        let verdict = problems.isEmpty ? "passed" : "FAILED"
        let reasons = problems.map { "\n        \($0)" }.joined()
        say("\(verdict)  \(scenario.part)  \(scenario.name) (\(time))\(reasons)")
        return problems.isEmpty
    }

    /// Unbuffered: the host shows each line as it is written.
    private static func say(_ line: String) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }  // The reader has gone.
            bytes = bytes.dropFirst(count)
        }
    }
}
