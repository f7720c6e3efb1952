import EventLoop
import PTTMessages
import TestSupport
import Testing

/// Sources that count as microphones, from a press to the application's frames, on both sound servers.
@Suite(.serialized) struct MicrophoneTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop
    func `without a microphone a press ends with that cause, and the monitor of the speaker is not sent`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) { try await $0.loseMicrophone() }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .noMicrophone)
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
        let line = try await fixture.core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(line.contains("speaker.monitor") && line.contains("pttd.toml"))
        #expect(try await fixture.accessoryd.status().audio == .inactive)
        try await fixture.expectSilence()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a virtual source that records a monitor is not a microphone either`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) { sound in
            try await sound.loseMicrophone()
            try await sound.add("remap-source", "master=speaker.monitor", "source_name=loud")
            try await sound.pactl("set-default-source", "loud")
            try await sound.untilDefaultSource(is: "loud")
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .noMicrophone)
        try await fixture.expectSilence()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a virtual source that records a microphone is a microphone`(
        program: SoundServerProgram
    )
        async throws
    {
        let fixture = try await MicrophoneFixture.start(program) { sound in
            try await sound.add("remap-source", "master=tone", "source_name=clean")
            try await sound.pactl("set-default-source", "clean")
            try await sound.untilDefaultSource(is: "clean")
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        #expect(fixture.input == "clean")
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a microphone is preferred to a monitor that is the default source`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) { sound in
            try await sound.pactl("set-default-source", "speaker.monitor")
            try await sound.untilDefaultSource(is: "speaker.monitor")
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        #expect(fixture.input == "tone")
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the core's own virtual microphone is never captured, even as the default source`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) { sound in
            try await sound.loseMicrophone()
            try await sound.addOwnMicrophone()
            try await sound.untilDefaultSource(is: "ptt_mic")
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .noMicrophone)
        try await fixture.expectSilence()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a monitor that the configuration names is captured`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program, #"microphone = "speaker.monitor""#)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        #expect(fixture.input == "speaker.monitor")
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a configured name for the default source does not allow a monitor`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program, #"microphone = "@DEFAULT_SOURCE@""#) {
            try await $0.loseMicrophone()
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .noMicrophone)
        try await fixture.expectSilence()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop
    func `a configured microphone that does not exist is reported by its name, and no other is used`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program, #"microphone = "studio""#)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .noMicrophone)
        let line = try await fixture.core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(line.contains("“studio”") && line.contains("pttd.toml"))
        try await fixture.expectSilence()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a microphone that is unplugged ends the transmission`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        try await fixture.sound.removeMicrophone()
        #expect(try await fixture.end() == .microphoneLost)
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop
    func `a sound server that is killed ends the transmission with that cause, and a press after it works`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        fixture.sound.kill()
        #expect(try await fixture.end() == .audioServerLost)
        try await fixture.published { $0 == .audioServerLost }
        let refused = try await refusal { _ = try await fixture.accessoryd.begin() }
        #expect(refused.reason.contains("PipeWire or PulseAudio"))
        try await fixture.sound.restart()
        try await fixture.published { $0 == .audioServerReady }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop
    func `the microphone in use is published once, before it is active, and again for a later application`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program)
        _ = try await fixture.accessoryd.begin()
        try await fixture.published { $0 == .routeChanged(input: "tone", output: nil) }
        try await fixture.published { $0 == .audioActivated }
        try await fixture.accessoryd.end()
        let application = try await AttachedApplication.attach(to: fixture.core)
        for expected: [CoreEvent] in [
            [.routeChanged(input: "tone", output: nil), .audioActivated], [.audioActivated],
        ] {
            _ = try await fixture.accessoryd.begin()
            for event in expected {
                #expect(try await application.events.first { $0.isRoute || $0 == .audioActivated } == event)
            }
            try await fixture.accessoryd.end()
        }
    }
}

extension CoreEvent {
    fileprivate var isRoute: Bool {
        if case .routeChanged = self { true } else { false }
    }
}

extension PrivateAudioServer {
    fileprivate func add(_ module: String, _ arguments: String...) async throws {
        try await pactl(["load-module", "module-" + module] + arguments)
    }

    /// Removes the only microphone; both servers then make the speaker's monitor the default source.
    fileprivate func loseMicrophone() async throws {
        try await removeMicrophone()
        try await untilDefaultSource(is: "speaker.monitor")
    }

    /// The virtual microphone of the core, which has sound only while it transmits.
    fileprivate func addOwnMicrophone() async throws {
        switch program {
        case .pulseAudio:
            try await add("null-sink", "sink_name=ptt_feed", "sink_properties=pttd.virtual=feed")
            try await add(
                "remap-source",
                "master=ptt_feed.monitor",
                "source_name=ptt_mic",
                "source_properties=pttd.virtual=microphone"
            )
        case .pipeWire:
            try await add(
                "loopback",
                "sink_input_properties='media.class=Audio/Source node.name=ptt_mic pttd.virtual=microphone'",
                "source_output_properties='media.class=Audio/Sink node.name=ptt_feed pttd.virtual=feed'"
            )
        }
        try await pactl("set-default-source", "ptt_mic")
    }
}
