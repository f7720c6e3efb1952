import EventLoop
import PTTMessages
import TestSupport
import Testing

/// The microphone that the configuration names, and what the core reports of it.
@Suite(.serialized) struct PreferredMicrophoneTests {
    init() { withRunningLoop() }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `the first of several that is there is used, by its description as well`(
        program: PrivateAudioServer.Program
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

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `the Push-to-Talk Microphone is refused with a clear reason`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program, #"microphone = "ptt_mic""#)
        let end = MonotonicInstant.now + .seconds(5)
        while try await !fixture.sound.pactl("list", "short", "sources").contains("\tptt_mic\t") {
            guard .now < end else {
                Issue.record("there is no Push-to-Talk Microphone")
                return
            }
            // pactl's output changes without an event.
            await pause(.milliseconds(20))
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .noMicrophone)
        let line = try await fixture.core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(line.contains("ptt_mic") && line.contains("this program itself plays"), "\(line)")
        try await fixture.expectSilence()
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `a microphone that is muted or at zero is reported, and left so`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) {
            try await $0.pactl("set-source-mute", "tone", "1")
        }
        _ = try await fixture.accessoryd.begin()
        try await fixture.published(microphone: { $0.isMuted })
        try await fixture.sound.pactl("set-source-mute", "tone", "0")
        try await fixture.published(microphone: { !$0.isMuted })
        try await fixture.sound.pactl("set-source-volume", "tone", "0%")
        try await fixture.published(microphone: { $0.isSilent })
        for word in ["muted", "volume"] {
            _ = try await fixture.core.process.lines.first { $0.contains("microphone") && $0.contains(word) }
        }
        try await fixture.accessoryd.end()
        #expect(try await fixture.accessoryd.status().microphone?.isSilent == true)
        #expect(try await fixture.sound.pactl("get-source-volume", "tone").contains(" 0%"))
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `a microphone that appears is used by the next press`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) {
            try await $0.removeMicrophone()
            try await $0.untilDefaultSource(is: "speaker.monitor")
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .noMicrophone)
        try await fixture.sound.addMicrophone("new")
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        #expect(fixture.input == "new")
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `another default source does not change the microphone of a transmission`(
        program: PrivateAudioServer.Program
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
