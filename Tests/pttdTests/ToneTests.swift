import EventLoop
import PTTMessages
import TestSupport
import Testing

/// Tones of the built core, whose microphone hears the speaker.
@Suite(.serialized) struct ToneTests {
    init() { withRunningLoop() }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `the application receives nothing of the talk permit tone`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await MicrophoneFixture.start(
            program,
            "microphone = \"speaker.monitor\"",
            playsTones: true
        )
        try await fixture.untilTonesAreReady()
        for count in [50, 100] {
            _ = try await fixture.accessoryd.begin()
            try await fixture.packets(count)
            try await fixture.accessoryd.end()
            _ = try await fixture.end()
        }
        #expect(fixture.peak == 0)
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `without the gate it receives the tone, which is played`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await MicrophoneFixture.start(
            program,
            "microphone = \"speaker.monitor\"\n[tones]\ngate = \"off\"",
            playsTones: true
        )
        try await fixture.untilTonesAreReady()
        _ = try await fixture.accessoryd.begin()
        try await fixture.packets(50)
        #expect(fixture.peak > 2000)
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `without the gate nothing of what the microphone captures is left out`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program, "[tones]\ngate = \"off\"", playsTones: true)
        try await fixture.untilTonesAreReady()
        _ = try await fixture.accessoryd.begin()
        try await fixture.packets(1)
        try await fixture.accessoryd.end()
        _ = try await fixture.end()
        // That event was caused by the first buffer, whose samples are older.
        #expect(try #require(fixture.firstPacket) < #require(fixture.activated))
    }

    @Test @EventLoop func `a tone file that cannot be used is logged when the core starts`() async throws {
        let core = try CoreFixture(
            configuration: "[tones]\ntalk-permit = \"/etc/passwd\"",
            playsTones: true
        )
        let line = try await core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(
            line.contains("talk-permit") && line.contains("/etc/passwd") && line.contains("not a WAV file")
        )
        _ = try await core.process.lines.first { $0 == "info: ready" }
    }
}

extension MicrophoneFixture {
    /// Waits until the core has opened the stream for its tones.
    fileprivate func untilTonesAreReady() async throws {
        let end = MonotonicInstant.now + .seconds(5)
        while try await sound.pactl("list", "short", "sink-inputs").isEmpty {
            guard .now < end else {
                Issue.record("the core plays no tones")
                return
            }
            // pactl's output changes without an event.
            await pause(.milliseconds(20))
        }
    }
}
