import EventLoop
import PTTMessages
import TestSupport
import Testing

@Suite(.serialized) struct CoreTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a press without a core is told, and not made up for`() async throws {
        let rig = try await Rig.start(core: false)
        try await rig.ready()
        try await rig.simulate("press")
        try await rig.next(.pressed)
        let remark = try await rig.next(.ignored).remark
        #expect(remark?.contains("the core is not connected") == true)
        try rig.startCore()
        try await rig.next(.coreConnected)
        try await rig.simulate("release")
        try await rig.simulate("press")
        // Nothing was asked for the first press.
        #expect(try await rig.asked() == .end(first, .released))
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `the bridge comes back to a core that was restarted`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        rig.core?.stop()
        try await rig.next(.coreLost)
        try rig.startCore()
        try await rig.next(.coreConnected)
        try await rig.simulate("release")
        #expect(try await rig.asked() == .end(first, .released))
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a second bridge says that there is one, and ends`() async throws {
        let rig = try await Rig.start()
        let second = try ChildProcess(
            [ChildProcess.built("ptt-accessoryd")],
            environment: ["XDG_RUNTIME_DIR": rig.directory, "PTT_LOG": "critical"]
        )
        #expect(try await second.exitStatus() == 1)
    }

    @Test @EventLoop func `without a runtime directory the bridge ends`() async throws {
        let bridge = try ChildProcess(
            ["-u", "XDG_RUNTIME_DIR", ChildProcess.built("ptt-accessoryd")]
        )
        #expect(try await bridge.exitStatus() == 1)
    }
}
