import EventLoop
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
}
