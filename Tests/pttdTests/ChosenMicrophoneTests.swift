import EventLoop
import PTTMessages
import TestSupport
import Testing

/// Who has chosen the Push-to-Talk Microphone hears nothing else, whatever happens to the other microphones,
/// until a person moves that stream. Every sample is judged.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChosenMicrophoneTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `who has chosen it by name hears nothing else when the microphone is plugged in again`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let follower = try CallApplication(fixture.sound, recordingFrom: nil)
        try await follower.untilLoud()
        let application = try await fixture.record()
        try await fixture.sound.removeMicrophone()
        try await until { try await fixture.sound.pactl("get-default-source") != "tone" }
        // It may be given ours as the default source.
        let second = try CallApplication(fixture.sound)
        _ = try await second.next(4800)
        try await fixture.plugIn("another")
        _ = try await application.next(9600)
        _ = try await second.next(9600)
        #expect(application.samples[...].loudest == 0)
        #expect(second.samples[...].loudest == 0)
        // Who has not chosen it is not kept from the microphone.
        try await follower.untilLoud()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `who has chosen it by name hears nothing else when a person chooses another default`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        for _ in 0..<3 {
            try await fixture.choose("ptt_mic")
            let second = try await fixture.record(as: "second")
            _ = try await second.next(4800)
            try await fixture.choose("tone")
            _ = try await second.next(9600)
            #expect(second.samples[...].loudest == 0)
            second.kill()
        }
        _ = try await application.next(9600)
        #expect(application.samples[...].loudest == 0)
        _ = try await fixture.presser.begin()
        #expect(try await application.next(4800, skipping: 24_000).loudest > 9000)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `who has chosen it by name hears nothing else while the core is dead`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        // What is chosen later is chosen through the server, behind this.
        _ = try await application.next(4800)
        fixture.core.process.kill()
        try await fixture.choose("ptt_mic")
        try await fixture.choose("tone")
        try await fixture.sound.removeMicrophone()
        try await until { try await fixture.sound.pactl("get-default-source") != "tone" }
        try await fixture.plugIn("another")
        _ = try await application.next(9600)
        #expect(application.samples[...].loudest == 0)
    }

    /// With either server the source of one profile goes, and that of the other comes and is preferred.
    /// Meanwhile there is no microphone.
    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `who has chosen it by name hears nothing else when a headset changes its profile`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let follower = try CallApplication(
            fixture.sound,
            recordingFrom: nil,
            properties: ["application.name=other"]
        )
        try await follower.untilLoud()
        let application = try await fixture.record()
        try await fixture.sound.removeMicrophone()
        for _ in 0..<3 {
            try await fixture.plugIn("headset")
            let second = try await fixture.record(as: "second")
            try await follower.untilLoud()
            try await fixture.sound.removeMicrophone("headset")
            try await until { try await fixture.sound.pactl("get-default-source") != "headset" }
            let third = try await fixture.record(as: "third")
            try await fixture.plugIn("headset_hands_free")
            try await follower.untilLoud()
            try await fixture.sound.removeMicrophone("headset_hands_free")
            for listener in [application, second, third] {
                _ = try await listener.next(9600)
                #expect(listener.samples[...].loudest == 0)
            }
            second.kill()
            third.kill()
        }
    }

    @Test @EventLoop func `PulseAudio remembers what a person chose for an application, and not its hold`()
        async throws
    {
        let fixture = try await VirtualMicrophoneFixture.start(.pulseAudio) {
            try await $0.pactl("load-module", "module-stream-restore")
        }
        for choice in ["tone", "another"] {
            if choice == "another" {
                try await fixture.sound.addMicrophone(choice)
                let mover = try CallApplication(fixture.sound, recordingFrom: nil)
                try await mover.untilLoud()
                try await fixture.move(mover, to: choice)
                try await until { try await fixture.sound.isRecorded(choice) }
                mover.kill()
                try await until { try await fixture.sound.sourceOutputs().isEmpty }
            }
            let application = try await fixture.record()
            for source in ["ptt_mic", "tone"] { try await fixture.choose(source) }
            _ = try await application.next(24_000)
            #expect(application.samples[...].loudest == 0)
            application.kill()
            try await fixture.untilIdle()
            let other = try CallApplication(fixture.sound, recordingFrom: nil)
            try await other.untilLoud()
            #expect(try await fixture.sound.isRecorded(choice))
            other.kill()
            try await until { try await fixture.sound.sourceOutputs().isEmpty }
        }
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a person may move it, and what the person moved stays there`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        try await fixture.move(application, to: "tone")
        try await application.untilLoud()
        try await fixture.untilIdle()
        // It was moved to the default source, which it follows from then on.
        try await fixture.choose("ptt_mic")
        try await fixture.untilRecorded()
        try await fixture.choose("tone")
        try await fixture.untilIdle()
        #expect(try await application.next(4800, skipping: 24_000).loudest > 9000)
        // WirePlumber 0.4 may lose a move that comes while it follows another default source.
        try await until {
            try await fixture.move(application, to: "ptt_mic")
            return try await fixture.sound.isRecorded("ptt_mic")
        }
        try await fixture.untilRecorded()
        #expect(try await application.next(4800, skipping: 24_000).loudest == 0)
        let start = application.samples.count
        try await fixture.choose("ptt_mic")
        try await fixture.choose("tone")
        _ = try await application.next(9600)
        #expect(application.samples[start...].loudest == 0)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `who records what feeds it records the same, and is heard of`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        try await fixture.untilIdle()
        let application = try CallApplication(fixture.sound, recordingFrom: "ptt_feed.monitor")
        try await fixture.untilRecorded()
        _ = try await fixture.presser.begin()
        #expect(try await application.next(4800, skipping: 24_000).loudest > 9000)
        try await fixture.presser.end()
        #expect(try await application.next(4800, skipping: 9600).loudest == 0)
    }

    @Test @EventLoop func `what records without a stream is heard of, and can be talked to`() async throws {
        let fixture = try await VirtualMicrophoneFixture.start(.pipeWire)
        try await fixture.untilIdle()
        let ports = ("ptt_mic:capture_MONO", "speaker:playback_FL")
        try await fixture.sound.connectPorts(ports.0, ports.1)
        try await fixture.untilRecorded()
        #expect(fixture.state == .recorded(by: ["a program without a stream"]))
        let listener = try CallApplication(fixture.sound, recordingFrom: "speaker.monitor")
        _ = try await fixture.presser.begin()
        // One of two channels of the speaker.
        try await listener.untilLoud(4000)
        try await fixture.presser.end()
        #expect(try await fixture.nextEnd() == .released)
        try await fixture.untilRecorded()
        // Not during a transmission: the server reports no change while the core plays.
        try await fixture.sound.disconnectPorts(ports.0, ports.1)
        try await fixture.untilIdle()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `while it is the default source, the previous one is the microphone`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        try await fixture.plugIn("another")
        // So that the core knows that it is the default.
        _ = try await fixture.presser.begin()
        try await until { try await fixture.sound.isRecorded("another") }
        try await fixture.presser.end()
        try await fixture.choose("ptt_mic")
        _ = try await fixture.presser.begin()
        try await until { try await fixture.sound.isRecorded("another") }
        #expect(try await !fixture.sound.isRecorded("tone"))
        application.kill()
    }

    @Test @EventLoop func `without a core, nothing that is played to the feed is heard`() async throws {
        let configuration = "\(checkout)/pipewire/50-push-to-talk.conf"
        let fixture = try await VirtualMicrophoneFixture.start(.pipeWire, fragments: [configuration])
        fixture.core.process.kill()
        // A server that starts alone.
        try await fixture.sound.restart()
        #expect(try await fixture.sound.pactl("get-sink-mute", "ptt_feed") == "Mute: yes")
        let music = try fixture.sound.play("/dev/urandom", to: "ptt_feed")
        for source in ["ptt_mic", "ptt_feed.monitor"] {
            let application = try CallApplication(fixture.sound, recordingFrom: source)
            _ = try await application.next(24_000)
            #expect(application.samples[...].loudest == 0)
        }
        music.kill()
    }
}

extension VirtualMicrophoneFixture {
    /// As a person does in the settings of the desktop.
    fileprivate func choose(_ source: String) async throws {
        // A session manager that has just been started does not know it yet.
        try await TestSupport.until { [sound] in (try? await sound.pactl("set-default-source", source)) != nil
        }
        try await sound.untilDefaultSource(is: source)
    }

    fileprivate func plugIn(_ microphone: String) async throws {
        try await sound.addMicrophone(microphone)
        try await choose(microphone)
    }

    /// As a person does in a volume control. There must be no other recorder.
    fileprivate func move(_ application: CallApplication, to source: String) async throws {
        let stream = try #require(try await sound.sourceOutputs().first)
        let number = String(stream.prefix { $0 != "\t" })
        let sources = try await sound.pactl("list", "short", "sources").split(separator: "\n")
        let listed = try #require(sources.first { $0.contains("\t\(source)\t") })
        let target = listed.prefix { $0 != "\t" }
        // WirePlumber loses an order to move a stream that it has just linked, on a busy machine.
        try await TestSupport.until {
            try await sound.pactl("move-source-output", number, source)
            return try await sound.sourceOutputs().contains { $0.hasPrefix("\(number)\t\(target)\t") }
        }
    }
}

extension CallApplication {
    /// Waits until it hears the microphone.
    fileprivate func untilLoud(_ magnitude: Int = 9000) async throws {
        let deadline = Deadline()
        while try await next(2400).loudest < magnitude { try deadline.check() }
    }
}
