import EventLoop
import Foundation
import PTTMessages
import TestSupport
import Testing

/// Presses of the built `ptt-actions`, which run commands as units of a real service manager.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled("\(PrivateServiceManager.isImpossible)") { await PrivateServiceManager.isPossible() }
)
struct ActionTests {
    private static func action(
        press: String? = "echo press >> LOG",
        hold: String? = nil,
        release: String? = "echo release >> LOG",
        more: String = ""
    ) -> String {
        func line(_ key: String, _ script: String?) -> String {
            script.map { "\(key) = [\"sh\", \"-c\", \"\($0)\"]\n" } ?? ""
        }
        return "[[action]]\naccessory = \"foot-pedal\"\nbutton = \"talk\"\n"
            + line("press", hold == nil ? press : nil) + line("hold", hold) + line("release", release) + more
            + "\n"
    }

    init() { withRunningLoop() }

    @Test @EventLoop func `a press runs its command, and the release runs its own`() async throws {
        let fixture = try await ActionsFixture.start(Self.action())
        let press = try await fixture.begin()
        try await fixture.isLogged("press")
        press.release()
        try await fixture.isLogged("press", "release")
    }

    @Test @EventLoop func `a command to hold runs until the release`() async throws {
        let fixture = try await ActionsFixture.start(
            Self.action(hold: "trap 'echo over >> LOG; exit' TERM; echo held >> LOG; sleep 60 & wait")
        )
        let press = try await fixture.begin()
        try await fixture.isLogged("held")
        press.release()
        try await fixture.isLogged("held", "over", "release")
    }

    @Test @EventLoop func `the release of a short press waits for the command of the press`() async throws {
        let fixture = try await ActionsFixture.start(Self.action(press: "sleep 0.3; echo press >> LOG"))
        try await fixture.begin().release()
        try await fixture.isLogged("press", "release")
    }

    @Test @EventLoop func `a press whose command hangs is released, and the button stays usable`()
        async throws
    {
        let fixture = try await ActionsFixture.start(
            Self.action(press: "echo press >> LOG; trap '' TERM; sleep 600")
        )
        try await fixture.begin().release()
        try await fixture.isLogged("press", "release")
        let second = try await fixture.begin()
        try await fixture.isLogged("press", "release", "press")
        second.release()
    }

    @Test @EventLoop func `a release whose command hangs is ended, and the next press waits for that`()
        async throws
    {
        let fixture = try await ActionsFixture.start(
            Self.action(release: "echo release >> LOG; trap '' TERM; sleep 600")
        )
        try await fixture.begin().release()
        try await fixture.isLogged("press", "release")
        let second = try fixture.press()
        _ = try await second.event(.began)
        try await fixture.isLogged("press", "release", "press")
    }

    @Test(arguments: ["exit 3", "kill -9 $$"]) @EventLoop
    func `a press whose command fails is released when the button is`(failure: String) async throws {
        let fixture = try await ActionsFixture.start(Self.action(press: "echo press >> LOG; \(failure)"))
        let press = try await fixture.begin()
        try await fixture.isLogged("press")
        await pause(.milliseconds(300))
        try await fixture.isLogged("press")
        press.release()
        try await fixture.isLogged("press", "release")
    }

    @Test @EventLoop func `a press that is longer than its limit is released, once`() async throws {
        let fixture = try await ActionsFixture.start(Self.action(more: "limit = 1"))
        let press = try await fixture.begin()
        #expect(try await press.event(.ended).remark == "timeLimit")
        try await fixture.isLogged("press", "release")
        press.release()
        // The next press shows that nothing came in between.
        try await fixture.begin().release()
        try await fixture.isLogged("press", "release", "press", "release")
    }

    @Test @EventLoop func `after a death of the program the next one releases, once`() async throws {
        let fixture = try await ActionsFixture.start(Self.action())
        _ = try await fixture.begin()
        try await fixture.isLogged("press")
        fixture.program.kill()
        try await fixture.restart()
        try await fixture.isLogged("press", "release")
        try await fixture.begin().release()
        try await fixture.isLogged("press", "release", "press", "release")
    }

    @Test @EventLoop func `after a power cut the next start releases, once`() async throws {
        let fixture = try await ActionsFixture.start(Self.action(hold: "echo press >> LOG; sleep 600"))
        _ = try await fixture.begin()
        try await fixture.isLogged("press")
        try await until { try fixture.pending?.contains("release") == true }
        try await fixture.cutPower()
        try await fixture.isLogged("press", "release")
        try await until { try fixture.pending == nil }
        fixture.program.kill()
        try await fixture.restart()
        let press = try await fixture.begin()
        // A command to hold that is ended at once may have written nothing.
        try await fixture.isLogged("press", "release", "press")
        press.release()
        try await fixture.isLogged("press", "release", "press", "release")
    }

    @Test @EventLoop func `after a power cut the release waits for the service manager`() async throws {
        let fixture = try await ActionsFixture.start(Self.action(hold: "echo press >> LOG; sleep 600"))
        _ = try await fixture.begin()
        try await fixture.isLogged("press")
        try await until { try fixture.pending?.contains("release") == true }
        try await fixture.cutPower(managerIsLate: true)
        try await fixture.isLogged("press", "release")
        try await until { try fixture.pending == nil }
    }

    @Test @EventLoop func `a button may have a command for its release only`() async throws {
        let fixture = try await ActionsFixture.start(Self.action(press: nil))
        try await fixture.begin().release()
        try await fixture.isLogged("release")
    }

    @Test @EventLoop func `the end of the program releases first`() async throws {
        let fixture = try await ActionsFixture.start(Self.action(release: "sleep 0.3; echo release >> LOG"))
        _ = try await fixture.begin()
        fixture.program.signal(SIGTERM)
        #expect(try await fixture.program.exitStatus() == 0)
        #expect(try fixture.log == ["press", "release"])
    }

    @Test(arguments: ["sleep", "another session"]) @EventLoop
    func `what interrupts a person releases`(interruption: String) async throws {
        let fixture = try await ActionsFixture.start(Self.action())
        let press = try await fixture.begin()
        if interruption == "sleep" {
            try fixture.logind.prepareForSleep(true)
        } else {
            try fixture.logind.change("mine", isActive: false)
        }
        let cause = interruption == "sleep" ? "suspended" : "sessionInactive"
        #expect(try await press.event(.ended).remark == cause)
        try await fixture.isLogged("press", "release")
    }

    @Test @EventLoop func `nothing of a device reaches a shell, and no argument is changed`() async throws {
        let fixture = try await ActionsFixture.start(
            Self.action(press: "printf '%s\\\\n' \\\"$1\\\" \\\"$PTT_DEVICE\\\" $PTT_BUTTON >> LOG")
                .replacingOccurrences(of: "LOG\"]", with: "LOG\", \"sh\", \"${HOME} $HOME %n\"]")
        )
        let name = "$(touch LOG.x) `id` ${HOME}"
        try await fixture.begin(name).release()
        try await fixture.isLogged("${HOME} $HOME %n", name, "talk", "release")
    }

    @Test @EventLoop func `a file with a mistake is said, and what it said before counts`() async throws {
        let fixture = try await ActionsFixture.start(Self.action())
        try fixture.write("[[action]]\nbutton = \"talk\"\n")
        let line = try await fixture.program.lines.first { $0.contains("cannot be used") }
        #expect(line.contains("actions.toml") && line.contains("for a device or for an accessory"))
        try await fixture.begin().release()
        try await fixture.isLogged("press", "release")
    }

    @Test @EventLoop func `what cannot begin is refused with a reason`() async throws {
        let fixture = try await ActionsFixture.start(Self.action())
        #expect(try await fixture.press("Pedal", .emergency).refusal()?.contains("no action") == true)
        let first = try await fixture.begin()
        #expect(try await fixture.press().refusal() == "its action runs already")
        let missing = "[[action]]\ndevice = \"Other\"\nbutton = \"talk\"\npress = [\"/nonexistent\"]\n"
        try fixture.write(Self.action() + missing)
        try await until {
            let press = try fixture.press("Other")
            guard case .success = try await press.answers.next() else { return false }
            press.release()
            return true
        }
        first.release()
    }
}
