import EventLoop
import Foundation
import Glibc
import PTTMessages
import TestSupport
import Testing

/// Presses of the built `ptt-actions` that record what a microphone of a real sound server hears.
@Suite(
    .serialized,
    .timeLimit(.minutes(2)),
    .enabled("\(PrivateServiceManager.isImpossible)") { await PrivateServiceManager.isPossible() }
)
struct RecordingTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `each press is a file of its length, which nobody else reads`() async throws {
        let fixture = try await RecordingFixture.start("\"~/My Recordings\"")
        for count in 1...2 {
            let press = try await fixture.press(for: 10)
            #expect(try fixture.files("My Recordings").count == count - 1)
            press.release()
            let end = try await fixture.ended()
            #expect(end.remark == nil && end.command == "record in ~/My Recordings")
            #expect(try fixture.files("My Recordings").count == count)
        }
        try await fixture.microphoneIsClosed()
        for path in try fixture.files("My Recordings") {
            let (seconds, rate) = try recorded(path)
            #expect((0.8...2.5).contains(seconds) && rate == 48_000, "\(seconds) s")
            #expect(path.hasSuffix(" talk.wav"))
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
    }

    @Test @EventLoop func `a command reads the whole file after the release`() async throws {
        let fixture = try await RecordingFixture.start(
            "[\"sh\", \"-c\", \"cat > LOG.wav; echo $PTT_BUTTON >> LOG\"]"
        )
        let press = try await fixture.press(for: 5)
        #expect(try fixture.actions.log.isEmpty)
        press.release()
        try await fixture.actions.isLogged("talk")
        #expect(try await fixture.ended().remark == nil)
        let (seconds, rate) = try recorded(fixture.directory + "/log.wav")
        #expect((0.4...2).contains(seconds) && rate == 16_000, "\(seconds) s")
        try await fixture.microphoneIsClosed()
    }

    @Test @EventLoop func `a command that reads nothing and does not end delays no press`() async throws {
        let fixture = try await RecordingFixture.start(
            "[\"sh\", \"-c\", \"echo begun >> LOG; sleep 600\"]"
        )
        for count in 1...3 {
            try await fixture.press().release()
            try await until { try fixture.actions.log.count == count }
            try await fixture.microphoneIsClosed()
        }
        // Nor does it keep the program from ending.
        fixture.actions.program.signal(SIGTERM)
        #expect(try await fixture.actions.program.exitStatus() == 0)
    }

    @Test @EventLoop func `a command that does not end is ended after the limit, and said`() async throws {
        let fixture = try await RecordingFixture.start("[\"sleep\", \"600\"]", more: "limit = 2")
        try await fixture.press(for: 1).release()
        #expect(try await fixture.ended().remark?.contains("a command failed: timeout") == true)
    }

    @Test(arguments: ["[\"false\"]", "[\"/nonexistent\"]", "\"/dev/null/folder\""]) @EventLoop
    func `a recording that nobody takes is said`(record: String) async throws {
        let fixture = try await RecordingFixture.start(record)
        try await fixture.press(for: 1).release()
        let remark = try await fixture.ended().remark
        #expect(remark?.contains("a command failed: exit-code") == true, "\(remark ?? "")")
        try await fixture.microphoneIsClosed()
    }

    @Test @EventLoop func `a death of the program closes the microphone, and leaves nothing`() async throws {
        let fixture = try await RecordingFixture.start("\"~/Recordings\"")
        _ = try await fixture.press()
        fixture.actions.program.kill()
        // Whichever of its connections the core notices first.
        #expect([.connectionLost, .audioConnectionLost].contains(try await fixture.recordingEnded()))
        try await fixture.microphoneIsClosed()
        #expect(try fixture.files("Recordings").isEmpty)
        #expect(try fixture.files("state/pushtotalk").allSatisfy { !$0.contains("recording") })
    }

    @Test @EventLoop func `after a death of the core what was recorded is kept, and said`() async throws {
        let fixture = try await RecordingFixture.start("\"~/Recordings\"")
        let press = try await fixture.press(for: 5)
        fixture.core.kill()
        try await fixture.microphoneIsClosed()
        press.release()
        let remark = try await fixture.ended().remark
        #expect(remark?.contains("the connection to pttd was lost") == true, "\(remark ?? "")")
        #expect(try recorded(#require(try fixture.files("Recordings").first)).seconds > 0.3)
        let second = try await fixture.refusal()
        #expect(second?.contains("pttd cannot be reached") == true)
    }

    @Test @EventLoop func `a core that closes each connection refuses a press at once`() async throws {
        let fixture = try await RecordingFixture.start("\"~/Recordings\"")
        fixture.core.kill()
        _ = try await fixture.core.exitStatus()
        let failing = try ClosingListener(at: fixture.directory + "/pushtotalk/core")
        let refusal = try await fixture.refusal()
        #expect(refusal?.contains("the connection to pttd was lost") == true, "\(refusal ?? "")")
        withExtendedLifetime(failing) {}
    }

    @Test @EventLoop func `the time limit of the core ends a recording, and the release allows the next`()
        async throws
    {
        let fixture = try await RecordingFixture.start(
            "\"~/Recordings\"",
            configuration: ["pttd.toml": "time-limit = 3"]
        )
        for count in 1...2 {
            let press = try await fixture.press(for: 1)
            #expect(try await fixture.recordingEnded() == .timeLimit)
            try await fixture.microphoneIsClosed()
            press.release()
            #expect(try await fixture.ended().remark?.contains("timeLimit") == true)
            #expect(try fixture.files("Recordings").count == count)
        }
    }

    @Test @EventLoop func `a locked screen refuses and ends a recording, if the configuration says so`()
        async throws
    {
        let fixture = try await RecordingFixture.start(
            "\"~/Recordings\"",
            configuration: ["pttd.toml": "while-locked = \"refuse\""]
        )
        let press = try await fixture.press()
        try fixture.actions.logind.change("mine", isLocked: true)
        #expect(try await fixture.recordingEnded() == .sessionLocked)
        try await fixture.microphoneIsClosed()
        press.release()
        #expect(try await fixture.ended().remark?.contains("sessionLocked") == true)
        let refusal = try await fixture.refusal()
        #expect(refusal?.contains("the screen is locked") == true, "\(refusal ?? "")")
    }

    @Test @EventLoop func `a policy refuses recordings`() async throws {
        let fixture = try await RecordingFixture.start(
            "\"~/Recordings\"",
            configuration: ["policy.toml": "deny = [\"recording\"]"]
        )
        let refusal = try await fixture.refusal()
        #expect(refusal?.contains("the policy file does not allow recording") == true, "\(refusal ?? "")")
        try await fixture.microphoneIsClosed()
    }

    @Test @EventLoop func `a full disk closes the microphone, and is said`() async throws {
        let fixture = try await RecordingFixture.start("\"~/Recordings\"", disk: "128k")
        let press = try await fixture.press()
        // It closes both of its connections, and the core sees either first.
        #expect([.connectionLost, .audioConnectionLost].contains(try await fixture.recordingEnded()))
        try await fixture.microphoneIsClosed()
        press.release()
        let remark = try await fixture.ended().remark
        #expect(remark?.contains("No space left on device") == true, "\(remark ?? "")")
        // What the disk took is kept.
        #expect(try recorded(#require(try fixture.files("Recordings").first)).seconds > 0.3)
    }

    @Test @EventLoop func `without a place for the file the microphone is not opened`() async throws {
        let fixture = try await RecordingFixture.start("\"~/Recordings\"")
        let state = fixture.directory + "/state"
        try? FileManager.default.removeItem(atPath: state)
        #expect(FileManager.default.createFile(atPath: state, contents: nil))
        let refusal = try await fixture.refusal()
        #expect(refusal?.contains("could not make a recording in \(state)") == true, "\(refusal ?? "")")
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop func `a press that nothing was recorded of runs nothing`() async throws {
        let fixture = try await RecordingFixture.start("[\"sh\", \"-c\", \"echo run >> LOG\"]")
        try await fixture.sound.removeMicrophone()
        let press = try await fixture.actions.begin()
        _ = try await fixture.recordingEnded()
        press.release()
        #expect(try await fixture.ended().remark?.contains("ended before the release") == true)
        #expect(try fixture.actions.log.isEmpty)
    }
}
