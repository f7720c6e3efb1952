import EventLoop
import PTTMessages
import TestSupport
import Testing

/// Tones of the built core, whose microphone hears the speaker.
@Suite(.serialized) struct ToneTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the application receives nothing of the talk permit tone`(
        program: SoundServerProgram
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

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a tap that latches is known to all, and its tone is not in what is received`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(
            program,
            "microphone = \"speaker.monitor\"",
            playsTones: true
        )
        try await fixture.untilTonesAreReady()
        _ = try await fixture.accessoryd.begin()
        try await fixture.packets(10)
        let report = ChannelInterface.LatchReport(channelID: nil, origin: .button, role: .talk)
        _ = try await fixture.accessoryd.call(ChannelInterface.reportLatch, report)
        try await fixture.packets(100)
        #expect(fixture.peak == 0)
        let transmission = try #require(try await fixture.accessoryd.status().transmission)
        #expect(try #require(transmission.latched) > transmission.began)
        try await fixture.accessoryd.end()
        let ended = try await fixture.end()
        #expect(ended == .released)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `without the gate it receives the tone, which is played`(
        program: SoundServerProgram
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

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `without the gate nothing of what the microphone captures is left out`(
        program: SoundServerProgram
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

    /// Otherwise the server wakes up 200 times a second while music plays. PipeWire does not count a stream
    /// that waits.
    @Test @EventLoop func `but for tones, the speaker runs as another player wants`() async throws {
        var player: TestProcess?
        defer { player?.kill() }
        var wanted: Int?
        let fixture = try await MicrophoneFixture.start(.pulseAudio, playsTones: true) { sound in
            player = try TestProcess(
                ["pacat", "--playback", "--device=speaker", "--latency-msec=2000", "/dev/zero"],
                environment: sound.environment
            )
            try await until { try await !sound.pactl("list", "short", "sink-inputs").isEmpty }
            wanted = try await sound.speakerLatency()
        }
        try await fixture.untilTonesAreReady(beside: 1)
        #expect(try await fixture.sound.speakerLatency() == wanted)
        _ = try await fixture.accessoryd.begin()
        try await fixture.packets(1)
        try await fixture.accessoryd.end()
        _ = try await fixture.end()
        try await until { try await fixture.sound.speakerLatency() == wanted }
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

extension PrivateAudioServer {
    /// The latency at which PulseAudio runs the sink "speaker", in microseconds.
    fileprivate func speakerLatency() async throws -> Int {
        let lines = try await pactl("list", "sinks").split(separator: "\n")
        let speaker = lines.drop { !$0.hasSuffix("Name: speaker") }
        let words = try #require(speaker.first { $0.contains("configured ") }).split(separator: " ")
        return try #require(words.dropLast().last.flatMap { Int($0) })
    }
}

extension MicrophoneFixture {
    /// Waits until the core has opened the stream for its tones, beside this number of other streams.
    func untilTonesAreReady(beside others: Int = 0) async throws {
        try await until {
            try await sound.pactl("list", "short", "sink-inputs").split(separator: "\n").count > others
        }
    }
}
