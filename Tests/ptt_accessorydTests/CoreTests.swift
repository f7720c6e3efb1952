import EventLoop
import PTTMessages
import TestSupport
import Testing

@Suite(.serialized) struct CoreTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a press without a core is reported, and not repeated later`() async throws {
        let fixture = try await AccessoryFixture.start(core: false)
        try await fixture.ready()
        try await fixture.simulate("press")
        try await fixture.next(.pressed)
        let remark = try await fixture.next(.ignored).remark
        #expect(remark?.contains("the core is not connected") == true)
        try fixture.startCore()
        try await fixture.next(.coreConnected)
        try await fixture.simulate("release")
        try await fixture.simulate("press")
        // There was no request for the first press.
        #expect(try await fixture.asked() == .end(first, .released))
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `ptt-accessoryd reconnects to a restarted core`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        fixture.core?.stop()
        try await fixture.next(.coreLost)
        try fixture.startCore()
        try await fixture.next(.coreConnected)
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a second ptt-accessoryd ends with an error`() async throws {
        let fixture = try await AccessoryFixture.start()
        let second = try TestProcess(
            [TestProcess.built("ptt-accessoryd")],
            environment: ["XDG_RUNTIME_DIR": fixture.directory, "PTT_LOG": "critical"]
        )
        #expect(try await second.exitStatus() == 1)
    }

    @Test @EventLoop func `without a runtime directory ptt-accessoryd ends`() async throws {
        let accessoryd = try TestProcess(
            [TestProcess.built("ptt-accessoryd")],
            environment: ["XDG_RUNTIME_DIR": nil]
        )
        #expect(try await accessoryd.exitStatus() == 1)
    }
}
