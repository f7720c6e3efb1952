import EventLoop
import Glibc
import TestSupport
import Testing

/// The built `pttctl record` with a core, without sound.
@Suite struct RecordTests {
    init() { withRunningLoop() }

    @EventLoop
    private func pttctl(_ core: CoreProcess, _ arguments: String...) throws -> TestProcess {
        try TestProcess(
            [TestProcess.built("pttctl")] + arguments,
            environment: ["XDG_RUNTIME_DIR": core.directory],
            mergesErrors: true
        )
    }

    /// Without its recorder the channel would keep the buttons.
    @Test @EventLoop func `a recording that cannot be written leaves the channel that it has joined`()
        async throws
    {
        let core = try CoreProcess()
        try await core.isReady()
        let (status, lines) = try await pttctl(core, "record", "--for", "1ms", "/dev/full").output()
        #expect(status == 1 && lines.last?.contains("No space left on device") == true, "\(lines)")
        let left = try await pttctl(core, "status").output().lines
        #expect(left.first?.hasPrefix("channel       none") == true, "\(left)")
    }

    /// It may be the file that another one is writing.
    @Test @EventLoop func `a recording that is refused leaves an earlier one as it is`() async throws {
        let core = try CoreProcess()
        try await core.isReady()
        let first = try pttctl(core, "record", core.directory + "/first.wav")
        try await until {
            try await pttctl(core, "status").output().lines.contains { $0.contains("record (process") }
        }
        let earlier = core.directory + "/earlier.wav"
        try TextFile.edit(earlier, limit: 100) { _ in "recorded" }
        let (status, lines) = try await pttctl(core, "record", earlier).output()
        #expect(status == 1 && lines.last?.contains("already joined") == true, "\(lines)")
        #expect(try TextFile.read(earlier, limit: 100) == "recorded")
        first.signal(SIGINT)
        #expect(try await first.exitStatus() == 0)
    }
}
