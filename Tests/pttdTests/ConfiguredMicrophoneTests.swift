import EventLoop
import PTTMessages
import TestSupport
import Testing

/// The Push-to-Talk Microphone that PipeWire itself makes, as `make install` configures it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ConfiguredMicrophoneTests {
    init() { withRunningLoop() }

    @EventLoop private func start() async throws -> VirtualMicrophoneFixture {
        try await .start(.pipeWire, fragments: ["\(checkout)/pipewire/50-push-to-talk.conf"])
    }

    @Test @EventLoop func `the core feeds the one that PipeWire has made, and makes none`() async throws {
        let fixture = try await start()
        let application = try await fixture.record()
        _ = try await fixture.presser.begin()
        #expect(try await application.next(4800, skipping: 24_000).loudest > 9000)
        try await fixture.presser.end()
        try await fixture.expectSilence(application)
        let modules = try await fixture.sound.pactl("list", "short", "modules")
        let names = modules.split(separator: "\n").compactMap { $0.split(separator: "\t").dropFirst().first }
        #expect(!names.contains("module-loopback"))
    }

    @Test @EventLoop func `it cannot be removed, and the reason names the file`() async throws {
        let fixture = try await start()
        try await fixture.untilIdle()
        let refused = try await refusal {
            try await fixture.presser.call(ChannelInterface.removeVirtualMicrophone, NoParameters())
        }
        #expect(refused.reason.contains("50-push-to-talk.conf"))
        #expect(try await fixture.sound.pactl("list", "short", "sources").contains("ptt_mic"))
    }

    @Test(arguments: ["pipewire-pulse", nil])
    @EventLoop func `an application that is back before the core never hears the real microphone`(
        killed program: String?
    ) async throws {
        let fixture = try await start()
        var application = try await fixture.record()
        for point in VirtualMicrophoneFixture.killPoints {
            _ = try await fixture.presser.begin()
            _ = try await application.next(1 + point * 240)
            if let program {
                fixture.sound.kill(only: program)
                try await fixture.sound.restart(only: program)
            } else {
                fixture.sound.kill()
                try await fixture.sound.restart()
            }
            application = try CallApplication(fixture.sound)
            _ = try await fixture.nextEnd()
            try await fixture.reread()
            try await fixture.untilRecorded()
            _ = try await application.next(9600)
            #expect(application.samples.allSatisfy { $0 == 0 }, "point \(point)")
        }
    }
}
