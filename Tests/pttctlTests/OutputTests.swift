import EventLoop
import Glibc
import TestSupport
import Testing

/// The built `pttctl` whose output cannot be written, or is not read.
@Suite struct OutputTests {
    init() { withRunningLoop() }

    @EventLoop
    private func pttctl(_ core: CoreProcess, _ command: String) throws -> TestProcess {
        try TestProcess(
            ["sh", "-c", "exec '\(TestProcess.built("pttctl"))' \(command)"],
            environment: ["XDG_RUNTIME_DIR": core.directory, "TERM": "xterm"],
            mergesErrors: true
        )
    }

    @EventLoop
    @Test(arguments: [
        ("status >/dev/full", "No space left on device"), ("monitor >/dev/full", "No space left on device"),
        ("status --json >&-", "Bad file descriptor"), ("grant --print-rule 1a86:e026 KEY_F13 >&-", ""),
        ("--help >/dev/full", "No space left on device"), ("help status >&-", "Bad file descriptor"),
        ("--version >/dev/full", "No space left on device"),
        ("--generate-completion-script zsh >/dev/full", "No space left on device"),
        ("accessory list >/dev/full", "No space left on device"), ("doctor >&-", "Bad file descriptor"),
    ])
    func `an output that cannot be written is an error, and ends the command`(
        command: String,
        reason: String
    ) async throws {
        let core = try CoreProcess()
        try await core.isReady()
        let (status, lines) = try await pttctl(core, command).output()
        #expect(status == 1)
        #expect(lines.last?.contains("standard output cannot be written: \(reason)") == true, "\(lines)")
    }

    @EventLoop
    @Test(arguments: [
        ("--bogus", 64), ("status --json --bogus", 64), ("accessory check /nowhere.toml", 1), ("status", 69),
    ])
    func `an error that cannot be written is still the exit status`(command: String, status: Int32)
        async throws
    {
        for errors in ["/dev/full", "&-"] {
            let line = "XDG_RUNTIME_DIR=/nowhere '\(TestProcess.built("pttctl"))' \(command) 2>\(errors)"
            #expect(try await TestProcess(["sh", "-c", "exec env \(line)"]).exitStatus() == status)
        }
    }

    @Test @EventLoop func `a wrong argument is repeated as text`() async throws {
        let program = TestProcess.built("pttctl")
        let process = try TestProcess([program, "a\u{1B}[2J\u{202E}"], mergesErrors: true)
        let (status, lines) = try await process.output()
        #expect(status == 64)
        #expect(lines.contains { $0.contains(#"a\u{1b}[2J\u{202e}"#) }, "\(lines)")
    }

    /// A terminal that was stopped with Ctrl-S, or a pager.
    @Test @EventLoop func `a transmission ends in time, although nobody reads`() async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try CoreProcess(soundServer: sound.address)
        try await core.isReady()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        defer { for end in ends { close(end) } }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: 0, count: 4096)
        while write(ends[1], bytes, bytes.count) > 0 {}

        let monitor = try pttctl(core, "monitor")
        _ = try await monitor.lines.first { $0.contains("time limit") }
        _ = try await pttctl(core, "join --name Ops").output()
        // Until then a press is refused.
        try await until {
            let status = try await pttctl(core, "status --json").output().lines.joined()
            return status.contains(/"isAudioServerReady" ?: ?true/)
        }
        let talk = try pttctl(core, "talk --for 200ms >/proc/\(getpid())/fd/\(ends[1])")
        let end = try await monitor.lines.first { $0.contains("transmission ended") }
        #expect(end.contains("released"), "\(end)")
        // It waits for the reader, and Ctrl-C ends that, pressed again if the command had not come to wait
        // yet.
        let presses = Task { @EventLoop in
            while !Task.isCancelled {
                talk.signal(SIGINT)
                await pause(.milliseconds(100))
            }
        }
        defer { presses.cancel() }
        #expect(try await talk.exitStatus() == -SIGINT)
    }

    @Test @EventLoop func `a name is text in its line, at a terminal and in a pipe`() async throws {
        let core = try CoreProcess()
        try await core.isReady()
        let hostile = "A\u{1B}[2J\u{202E}\u{9B}B"
        _ = try await pttctl(core, "join --name '\(hostile)'").output()
        let plain = try await pttctl(core, "status").output().lines
        #expect(plain.first?.contains(#"A\u{1b}[2J\u{202e}\u{9b}B"#) == true, "\(plain)")
        let json = try await pttctl(core, "status --json").output().lines
        #expect(json.first?.contains(#""name":"A\u001b[2J\u202e\u009bB""#) == true, "\(json)")
        let terminal = try TestProcess(
            ["script", "-qec", "\(TestProcess.built("pttctl")) status", "/dev/null"],
            environment: ["XDG_RUNTIME_DIR": core.directory]
        )
        let shown = try await terminal.output().lines.joined()
        #expect(shown.contains(#"A\u{1b}[2J\u{202e}\u{9b}B"#))
        #expect(!shown.contains("\u{1B}") && !shown.contains("\u{202E}") && !shown.contains("\u{9B}"))
    }
}
