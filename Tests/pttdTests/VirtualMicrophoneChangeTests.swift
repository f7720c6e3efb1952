import EventLoop
import PTTMessages
import TestSupport
import Testing

/// A person changes everything of ours in a volume control, while an application records and somebody talks.
@Suite(.serialized, .timeLimit(.minutes(5))) struct VirtualMicrophoneChangeTests {
    init() { withRunningLoop() }

    @EventLoop
    @Test
    func
        `a source that is moved to the live microphone is moved back and said, while idle and while pressed`()
        async throws
    {
        let fixture = try await VirtualMicrophoneFixture.start(.pulseAudio)
        let application = try await fixture.record()
        for isPressed in [false, true] {
            if isPressed { _ = try await fixture.presser.begin() }
            let streams = try await fixture.sound.pactl("list", "short", "source-outputs").split(
                separator: "\n"
            )
            let link = try #require(streams.first { $0.contains("module-remap-source") })
            try await fixture.sound.pactl("move-source-output", String(link.prefix { $0 != "\t" }), "tone")
            try await fixture.until {
                if case .unavailable(let reason) = $0 { reason.contains("tone") } else { false }
            }
            try await fixture.untilRecorded()
            let line = try await fixture.core.process.lines.first { $0.contains("moved back") }
            #expect(line.contains("“tone”"))
            if isPressed { #expect(try await fixture.nextEnd() == .recorderGone) }
            try await fixture.expectSilence(application)
        }
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `music that plays to the feed is moved away and not heard`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        let before = application.samples.count
        let music = try fixture.sound.play("/dev/urandom", to: "ptt_feed")
        _ = try await fixture.core.process.lines.first { $0.contains("moved away") }
        try await until {
            let sinks = try await fixture.sound.pactl("list", "short", "sinks").split(separator: "\n")
            let feed = sinks.first { $0.contains("ptt_feed") }?.prefix { $0 != "\t" } ?? ""
            let inputs = try await fixture.sound.pactl("list", "short", "sink-inputs").split(separator: "\n")
            // The stream of the core itself is there as well.
            return inputs.count(where: { $0.split(separator: "\t").dropFirst().first == feed }) <= 1
        }
        try await fixture.expectSilence(application)
        #expect(application.samples[before...].loudest == 0)
        music.kill()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a feed that a person unmutes while nobody talks is muted again`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        for _ in 0..<3 {
            try await fixture.sound.pactl("set-sink-mute", "ptt_feed", "0")
            try await until { try await fixture.sound.pactl("get-sink-mute", "ptt_feed") == "Mute: yes" }
        }
        try await fixture.expectSilence(application)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `what a person mutes is said, and the press goes on`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        _ = try await fixture.presser.begin()
        #expect(try await application.next(4800, skipping: 24_000).loudest > 9000)
        try await fixture.sound.pactl("set-source-mute", "ptt_mic", "1")
        _ = try await fixture.core.process.lines.first {
            $0.contains("is muted in the audio server: unmute it")
        }
        try await fixture.presser.end()
        try await fixture.expectSilence(application)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop
    func `modules that a person unloads while somebody talks are loaded again, and applications return`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        _ = try await fixture.presser.begin()
        _ = try await application.next(4800)
        let modules = try await fixture.sound.pactl("list", "short", "modules").split(separator: "\n")
        let last = try #require(modules.last { $0.contains("ptt_mic") })
        try await fixture.sound.pactl("unload-module", String(last.prefix { $0 != "\t" }))
        #expect(try await fixture.nextEnd() == .recorderGone)
        try await fixture.untilRecorded()
        try await fixture.expectSilence(application)
        _ = try await fixture.presser.begin()
        #expect(try await application.next(4800, skipping: 24_000).loudest > 9000)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the core's own source is no microphone, by name or behind a filter`(
        program: SoundServerProgram
    ) async throws {
        for name in ["ptt_mic", "clean"] {
            let fixture = try await VirtualMicrophoneFixture.start(program, "microphone = \"\(name)\"")
            try await fixture.untilIdle()
            try await fixture.sound.pactl(
                "load-module",
                "module-remap-source",
                "master=ptt_mic",
                "source_name=clean"
            )
            // PipeWire links it later.
            try await until { try await fixture.sound.isRecorded("ptt_mic") }
            let channel = try fixture.core.connect()
            _ = try await channel.join()
            _ = try await fixture.presser.begin()
            #expect(try await fixture.nextEnd() == .noMicrophone)
            let line = try await fixture.core.process.lines.first { $0.hasPrefix("error: ") }
            #expect(
                line.contains("“\(name)” is what this program itself plays") && line.contains("pttd.toml")
            )
        }
    }
}
