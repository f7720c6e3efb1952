import AccessoryCore
import EventLoop
import Foundation
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// Presses that run commands: from a simulated button through the built ptt-accessoryd and the built
/// ptt-actions to a real service manager.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled("\(PrivateServiceManager.isImpossible)") { await PrivateServiceManager.isPossible() }
)
struct ActionPressTests {
    private static func action(_ button: String, accessory: String) -> String {
        """
        [[action]]
        accessory = "\(accessory)"
        button = "\(button)"
        press = ["sh", "-c", "echo press >> LOG"]
        release = ["sh", "-c", "echo release >> LOG"]

        """
    }

    /// The service manager and the program, which end with it.
    @EventLoop
    private final class Actions {
        private let scratch: Scratch
        private let manager: PrivateServiceManager
        private let program: TestProcess

        init(for fixture: AccessoryFixture) async throws {
            scratch = try Scratch()
            manager = try await PrivateServiceManager.start(in: scratch.directory)
            program = try TestProcess(
                [TestProcess.built("ptt-actions")],
                environment: [
                    "XDG_RUNTIME_DIR": fixture.directory, "XDG_CONFIG_HOME": fixture.directory + "/config",
                    "DBUS_SESSION_BUS_ADDRESS": manager.bus, "DBUS_SYSTEM_BUS_ADDRESS": fixture.bus.address,
                ]
            )
            let socket = fixture.directory + "/pushtotalk/actions"
            try await until {
                (try? await VarlinkClient(connectingTo: socket).call("org.varlink.service.GetInfo")) != nil
            }
        }
    }

    @EventLoop
    private func isLogged(_ text: String, _ fixture: AccessoryFixture) async throws {
        var log = ""
        try await until {
            log = try TextFile.read(fixture.log, limit: 4096) ?? ""
            return log.count >= text.count
        }
        #expect(log == text)
    }

    /// The core may have been told of the end of nothing.
    @EventLoop
    private func isNeverBegun(_ fixture: AccessoryFixture) async throws {
        let core = try #require(fixture.core)
        core.requests.finish()
        let requests = try await core.requests.untilEnd(within: .seconds(5))
        #expect(requests.allSatisfy { if case .end = $0 { true } else { false } }, "\(requests)")
    }

    init() { withRunningLoop() }

    @Test(arguments: ["release", "disconnect", "death of ptt-accessoryd", "forgotten", "core lost"])
    @EventLoop
    func `a press runs its command and not the microphone, and in each case its release comes once`(
        end: String
    ) async throws {
        let fixture = try await AccessoryFixture.start(actions: Self.action("talk", accessory: "ffe0"))
        let actions = try await Actions(for: fixture)
        try await fixture.ready()
        try await fixture.simulate("press")
        try await isLogged("press\n", fixture)
        switch end {
        case "death of ptt-accessoryd": fixture.accessoryd?.kill()
        case "forgotten": _ = unlink(fixture.enrolmentFile)
        case "core lost": fixture.core?.stop()
        default: try await fixture.simulate(end)
        }
        try await isLogged("press\nrelease\n", fixture)
        try await isNeverBegun(fixture)
        withExtendedLifetime(actions) {}
    }

    /// Its action may record as well.
    @Test(arguments: [false, true])
    @EventLoop func `a button that does not transmit runs a command until it is released or BlueZ hangs`(
        hangs: Bool
    ) async throws {
        let fixture = try await AccessoryFixture.start(
            buttons: ["aina"],
            actions: Self.action("multifunction", accessory: "aina")
        )
        let actions = try await Actions(for: fixture)
        try await fixture.ready()
        try await fixture.simulate("press 1 multifunction")
        try await isLogged("press\n", fixture)
        if hangs {
            fixture.simulator?.signal(SIGSTOP)
        } else {
            try await fixture.simulate("release 1 multifunction")
        }
        try await isLogged("press\nrelease\n", fixture)
        withExtendedLifetime(actions) {}
    }

    @Test @EventLoop func `a button that toggles presses with one tap, and releases with the next`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(
            enrolled: false,
            actions: Self.action("talk", accessory: "ffe0")
        )
        try fixture.enrol([Enrolment(AccessoryFixture.address(of: 1), mode: .toggle)])
        let actions = try await Actions(for: fixture)
        try await fixture.ready()
        for log in ["press\n", "press\nrelease\n"] {
            try await fixture.simulate("press")
            try await fixture.simulate("release")
            try await fixture.next(.released)
            try await isLogged(log, fixture)
        }
        try await isNeverBegun(fixture)
        withExtendedLifetime(actions) {}
    }

    @Test @EventLoop
    func `after a tap a latch keeps an action on until the next press, and the core is told`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(
            buttons: ["ffe0", "aina"],
            enrolled: false,
            actions: Self.action("talk", accessory: "ffe0")
        )
        let other = AccessoryFixture.address(of: 2)
        try fixture.enrol([Enrolment(AccessoryFixture.address(of: 1), mode: .latch), Enrolment(other)])
        let actions = try await Actions(for: fixture)
        try await fixture.ready(2)
        // On a busy machine what should be a tap may be longer: then it is held.
        for attempt in 0..<20 {
            for button in 1...2 {
                try await fixture.simulate("press \(button)")
                try await fixture.simulate("release \(button)")
            }
            let log = String(repeating: "press\nrelease\n", count: attempt)
            if try await fixture.asked() == .latch(first, .talk) {
                try await isLogged(log + "press\n", fixture)
                try await fixture.simulate("press")
                try await isLogged(log + "press\nrelease\n", fixture)
                return withExtendedLifetime(actions) {}
            }
            #expect(try await fixture.asked() == .end(other.text, .released))
        }
        Issue.record("no press was short enough for a tap")
    }

    @Test @EventLoop func `pttctl runs the action of a button that it finds by name, and says how it ended`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(actions: Self.action("talk", accessory: "ffe0"))
        let actions = try await Actions(for: fixture)
        try await fixture.ready()
        let process = try TestProcess(
            [TestProcess.built("pttctl"), "action", "test", "PTT", "talk", "--for", "100ms"],
            environment: ["XDG_RUNTIME_DIR": fixture.directory],
            mergesErrors: true
        )
        let (status, lines) = try await process.output()
        #expect(status == 0 && lines.count == 2, "\(lines)")
        #expect(lines.first?.hasSuffix("PTT runs sh, then sh") == true, "\(lines)")
        #expect(lines.last?.hasSuffix("PTT has ended sh, then sh") == true, "\(lines)")
        try await isLogged("press\nrelease\n", fixture)
        withExtendedLifetime(actions) {}
    }

    @Test @EventLoop
    func `without ptt-actions the press of a button with an action does nothing, and says so`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(actions: Self.action("talk", accessory: "ffe0"))
        try await fixture.ready()
        try await fixture.simulate("press")
        let event = try await fixture.next(.ignored)
        #expect(event.remark?.contains("its action does not run") == true)
        try await isNeverBegun(fixture)
    }

    /// It waited for the release before it, and the connection of that one was lost.
    @Test @EventLoop func `an action that ends before it has begun leaves no toggle on`() async throws {
        let fixture = try await AccessoryFixture.start(
            enrolled: false,
            actions: Self.action("talk", accessory: "ffe0")
        )
        try fixture.enrol([Enrolment(AccessoryFixture.address(of: 1), mode: .toggle)])
        let presses = AsyncQueue(of: Void.self)
        let ended = ActionInterface.Event(.ended, identifier: first, name: "", role: .talk, command: "")
        let interface = VarlinkInterface(
            "interface \(ActionInterface.name)\nmethod Press() -> ()",
            methods: [
                "Press": { call in
                    call.reply(.encoding(ActionInterface.PressReply(event: ended)))
                    presses.add(())
                }
            ]
        )
        let info = VarlinkServiceInfo(vendor: "", product: "actions double", version: "", url: "")
        let server = VarlinkServer(info, [interface]) { line, _ in print(line) }
        try server.listen(on: try UnixSocket.listen(at: fixture.directory + "/pushtotalk/actions", .stream))
        try await fixture.ready()
        for _ in 0..<2 {
            try await fixture.simulate("press")
            try await fixture.simulate("release")
            try await fixture.next(.released)
            try await presses.next()
            // ptt-accessoryd answers what clients ask after what it was answered itself.
            let _: AccessoryInterface.DevicesReply = try await fixture.call("GetDevices")
            // Sooner a press that begins something is a bounce.
            await pause(.milliseconds(300))
        }
        server.stop()
    }
}
