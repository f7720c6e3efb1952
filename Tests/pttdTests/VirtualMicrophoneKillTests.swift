import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// SIGKILL at points of a transmission, from its beginning to 250 ms of what the call application hears:
/// nothing but silence is recorded from the source afterwards.
@Suite(.serialized, .timeLimit(.minutes(5))) struct VirtualMicrophoneKillTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a core that is killed at any point of a transmission leaves exact silence`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        let modules = try await fixture.sound.pactl("list", "short", "modules")
        for point in VirtualMicrophoneFixture.killPoints {
            // 0 to 250 ms of what the application hears after the press was accepted.
            _ = try await fixture.presser.begin()
            _ = try await application.next(1 + point * 240)
            try await fixture.crashAndRestart()
            try await fixture.expectSilence(application, "point \(point)")
            try await fixture.untilRecorded()
        }
        #expect(try await fixture.sound.pactl("list", "short", "modules") == modules)
        _ = try await fixture.presser.begin()
        #expect(try await application.next(4800, skipping: 24_000).loudest > 9000)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `an application that is killed at any point ends the transmission`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        for point in VirtualMicrophoneFixture.killPoints {
            let application = try await fixture.record()
            _ = try await fixture.presser.begin()
            _ = try await application.next(1 + point * 240)
            application.kill()
            #expect(try await fixture.nextEnd() == .recorderGone)
            try await fixture.expectSilence(nil, "point \(point)")
            try await fixture.reread()
        }
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a sound server that is killed at any point comes back with a silent microphone`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        for point in VirtualMicrophoneFixture.killPoints {
            let application = try await fixture.record()
            _ = try await fixture.presser.begin()
            _ = try await application.next(1 + point * 240)
            fixture.sound.kill()
            #expect(
                [.audioServerLost, .recorderGone, .microphoneLost].contains(
                    try await fixture.nextEnd()
                )
            )
            try await fixture.sound.restart()
            try await fixture.reread()
            let second = try await fixture.record()
            try await fixture.expectSilence(second, "point \(point)")
            second.kill()
            try await fixture.untilIdle()
        }
    }

    @Test @EventLoop
    func
        `pipewire-pulse that is killed at any point comes back silent, also for an application that is faster`()
        async throws
    {
        let fixture = try await VirtualMicrophoneFixture.start(.pipeWire)
        var application = try await fixture.record()
        for point in VirtualMicrophoneFixture.killPoints {
            _ = try await fixture.presser.begin()
            _ = try await application.next(1 + point * 240)
            fixture.sound.kill(only: "pipewire-pulse")
            #expect(
                [.audioServerLost, .recorderGone, .microphoneLost].contains(
                    try await fixture.nextEnd()
                )
            )
            try await fixture.sound.restart(only: "pipewire-pulse")
            application = try CallApplication(fixture.sound)
            try await fixture.reread()
            try await fixture.untilRecorded()
            let live = application.samples.count { $0 != 0 }
            // PipeWire gives it another source until the core has loaded its own, and has moved it there.
            #expect(live < 96_000, "point \(point)")
            try await fixture.expectSilence(application, "point \(point)")
        }
    }
}
