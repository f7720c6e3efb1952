import EventLoop
import PTTMessages
import TestSupport
import Testing

/// The built `pttctl monitor` at a terminal, and without one.
@Suite struct MonitorTests {
    init() { withRunningLoop() }

    private static let clear = "\r\u{1B}[K"

    @EventLoop
    private static func environment(_ core: CoreProcess) -> [String: String?] {
        ["XDG_RUNTIME_DIR": core.directory, "TERM": "xterm"]
    }

    /// Starts it below script(1), which makes a terminal.
    @EventLoop
    private static func atTerminal(_ core: CoreProcess, columns: Int) throws -> TestProcess {
        let command = "tty; stty cols \(columns); exec \(TestProcess.built("pttctl")) monitor"
        return try TestProcess(
            ["script", "--quiet", "--return", "--command", command, "/dev/null"],
            environment: environment(core)
        )
    }

    @EventLoop
    private static func run(_ core: CoreProcess, _ arguments: String...) async throws {
        let process = try TestProcess(
            [TestProcess.built("pttctl")] + arguments,
            environment: environment(core),
            mergesErrors: true
        )
        let (status, lines) = try await process.output()
        #expect(status == 0, "\(lines)")
    }

    @Test @EventLoop func `at a terminal the events are above a line that shows the channel`() async throws {
        let core = try CoreProcess()
        try await core.isReady()
        let monitor = try Self.atTerminal(core, columns: 60)
        let terminal = try await monitor.lines.next().filter { $0 != "\r" }
        _ = try await monitor.lines.first { $0.contains("time limit") }
        try await Self.run(core, "join", "--name", "A channel with a name that is longer than the window")
        _ = try await monitor.lines.first { $0.contains("joined") }
        try await Self.run(core, "volume", "90")
        // The line at the foot is on the terminal when the next event clears it.
        let next = try await monitor.lines.first { $0.contains("90 %") }
        #expect(
            next.hasPrefix("A channel with a name") || next.contains(Self.clear + "A channel with a name")
        )

        // A window that is made narrower.
        let resize = try TestProcess(["stty", "-F", terminal, "cols", "20"])
        #expect(try await resize.exitStatus() == 0)
        try await Self.run(core, "volume", "80")
        let narrow = try await monitor.lines.first { $0.contains("80 %") }
        #expect(narrow.contains("\r\u{1B}[JA channel with a n…\(Self.clear)"), "\(narrow.debugDescription)")

        // Ctrl-C removes the line.
        monitor.write("\u{3}", terminated: false)
        let (_, rest) = try await monitor.output()
        #expect(rest.last?.hasSuffix(Self.clear) == true, "\(rest.debugDescription)")
    }

    @Test @EventLoop func `without a terminal there are lines only`() async throws {
        let core = try CoreProcess()
        try await core.isReady()
        let monitor = try TestProcess(
            [TestProcess.built("pttctl"), "monitor"],
            environment: Self.environment(core)
        )
        let first = try await monitor.lines.next()
        #expect(first.hasPrefix("channel       "))
        try await Self.run(core, "volume", "90")
        let line = try await monitor.lines.first { $0.contains("90 %") }
        #expect(!line.contains("\u{1B}") && !line.contains("\r"))
    }
}
