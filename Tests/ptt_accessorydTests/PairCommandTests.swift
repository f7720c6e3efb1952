import EventLoop
import PTTMessages
import TestSupport
import Testing

/// `pttctl pair`, as a person runs it.
@Suite(.serialized) struct PairCommandTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `pttctl pair finds a button by its name, tests it, and its presses count`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0:PTT-Z01"], known: false)
        let pttctl = try TestProcess(
            [TestProcess.built("pttctl"), "pair", "PTT-Z01", "--mode", "hold"],
            environment: [
                "XDG_RUNTIME_DIR": fixture.directory, "XDG_CONFIG_HOME": fixture.directory + "/config",
            ]
        )
        _ = try await pttctl.lines.first { $0.hasPrefix("now press the talk button") }
        try await fixture.simulate("press")
        _ = try await pttctl.lines.first { $0.hasPrefix("pressed") }
        try await fixture.simulate("release")
        _ = try await pttctl.lines.first { $0.hasPrefix("enrolled") }
        #expect(try await pttctl.exitStatus() == 0)
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
    }
}
