import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// The microphone that the configuration names, and what the core reports of it.
@Suite(.serialized) struct PreferredMicrophoneTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the first of several that is there is used, by its description as well`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(
            program,
            "microphone = [\"studio\", \"ptt_mic\", \"Desk\", \"tone\"]\nvirtual-microphone = false",
            prepare: {
                try await $0.pactl(
                    "load-module",
                    "module-null-sink",
                    "sink_name=ptt_mic",
                    "sink_properties=pttd.virtual=feed"
                )
                let properties = "source_properties=device.description=Desk"
                try await $0.pactl(
                    "load-module",
                    "module-remap-source",
                    "master=tone",
                    "source_name=desk",
                    properties
                )
            }
        )
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        #expect(fixture.input == "desk")
        let microphone = try #require(try await fixture.accessoryd.status().microphone)
        #expect(
            microphone == MicrophoneState(name: "desk", description: "Desk", isMuted: false, isSilent: false)
        )
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the Push-to-Talk Microphone is refused with a clear reason`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program, #"microphone = "ptt_mic""#)
        try await until { try await fixture.sound.pactl("list", "short", "sources").contains("\tptt_mic\t") }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .noMicrophone)
        let line = try await fixture.core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(line.contains("ptt_mic") && line.contains("this program itself plays"), "\(line)")
        try await fixture.expectSilence()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a microphone that appears is used by the next press`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) {
            try await $0.removeMicrophone()
            try await $0.untilDefaultSource(is: "speaker.monitor")
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .noMicrophone)
        try await fixture.sound.addMicrophone("new")
        // PipeWire has loaded it before its clients hear of it, each for itself.
        try await until {
            _ = try await fixture.accessoryd.begin()
            let end = try await fixture.firstSoundOrEnd()
            #expect(end == nil || end == .noMicrophone)
            return end == nil
        }
        #expect(fixture.input == "new")
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop
    func `while the Push-to-Talk Microphone is the default, a restarted core uses the one before it`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) {
            try await $0.pactl("load-module", "module-remap-source", "master=tone", "source_name=other")
            try await $0.pactl("set-default-source", "other")
            try await $0.untilDefaultSource(is: "other")
        }
        let (sound, file) = (fixture.sound, fixture.core.state("microphone.json"))
        try await until { access(file, F_OK) == 0 }
        try await until {
            (try? await sound.pactl("set-default-source", "ptt_mic")) != nil
        }
        try await sound.untilDefaultSource(is: "ptt_mic")
        try await fixture.core.crashAndRestart()
        try await sound.untilDefaultSource(is: "ptt_mic")
        let (client, watcher) = (try fixture.core.connect(), try fixture.core.connect())
        try await watcher.audioServerIsReady(watcher.subscribe())
        try await client.leave()
        _ = try await client.join()
        _ = try await client.begin()
        _ = try await watcher.events.first { $0 == .routeChanged(input: "other", output: nil) }
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `another default source does not change the microphone of a transmission`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) {
            try await $0.pactl("load-module", "module-remap-source", "master=tone", "source_name=other")
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        try await fixture.sound.pactl("set-default-source", "other")
        try await fixture.sound.untilDefaultSource(is: "other")
        try await fixture.packets(fixture.packetCount + 20)
        #expect(fixture.input == "tone")
        try await fixture.accessoryd.end()
        _ = try await fixture.accessoryd.begin()
        try await fixture.published { $0 == .routeChanged(input: "other", output: nil) }
    }
}

extension MicrophoneFixture {
    fileprivate func published(microphone isWanted: @escaping (MicrophoneState) -> Bool) async throws {
        try await published { event in
            if case .microphoneChanged(let state?) = event { isWanted(state) } else { false }
        }
    }
}
