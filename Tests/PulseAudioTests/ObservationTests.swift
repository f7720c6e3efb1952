import EventLoop
import TestSupport
import Testing

@testable import PulseAudio

extension RealServers {
    @Suite(.timeLimit(.minutes(3)))
    struct ObservationTests {
        init() { withRunningLoop() }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `changes are reported by kind, to those who observe it, until they cancel`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let (streams, modules) = (Recorder<SoundDeviceEvent>(), Recorder<SoundDeviceEvent>())
            let first = fixture.audio.observe([.sourceOutput, .sinkInput]) { streams.add($0) }
            let second = fixture.audio.observe([.module]) { modules.add($0) }
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            try await streams.wait("the new capture") {
                $0.contains { $0.kind == .sourceOutput && $0.type == .new }
            }
            let index = try #require(streams.all.first).index
            capture.close()
            try await streams.wait(for: SoundDeviceEvent(kind: .sourceOutput, index: index, type: .remove))
            #expect(modules.all.isEmpty)
            first.cancel()
            let seen = streams.all.count
            try await fixture.server.pactl("load-module", "module-null-sink", "sink_name=other")
            try await modules.wait("the new module") { $0.contains { $0.type == .new } }
            let another = try Capture(fixture)
            try await another.untilStarted()
            #expect(streams.all.count == seen)
            second.cancel()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `an observation continues after a restart of the server`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let changes = Recorder<SoundDeviceEvent>()
            let observation = fixture.audio.observe([.sourceOutput]) { changes.add($0) }
            try await fixture.server.restart()
            try await fixture.states.wait("connected again") { $0.count == 4 }
            let before = changes.all.count
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            try await changes.wait("the new capture") { $0.count > before }
            observation.cancel()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `everything that the server has is listed, with what is this connection's`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let argument = "sink_name=other sink_properties=test.mark=1"
            let module = try await fixture.server.pactl("load-module", "module-null-sink", argument)
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            let events = Recorder<PlaybackStream.Event>()
            let request = StreamRequest(name: "music", device: "other")
            let playback = try PlaybackStream(on: fixture.audio, request) { events.add($0) }
            _ = [UInt8](repeating: 0, count: 9600).withUnsafeBytes { playback.write($0) }
            // PipeWire lists it without a sink before.
            try await events.wait(for: .started)
            // And as corked until its node runs, which may be after it has asked for samples.
            try await until {
                try await fixture.audio.list([.sinkInput]).sinkInputs.contains { !$0.isCorked }
            }
            let devices = try await fixture.audio.list(Set(DeviceKind.allCases))
            #expect(devices.defaultSource == "tone" && devices.defaultSink == "speaker")
            let sink = try #require(devices.sinks.first { $0.name == "other" })
            #expect(!sink.isMuted && sink.owner.module.map(String.init) == module)
            #expect(devices.sources.contains { $0.index == sink.monitor && $0.isMonitor })
            let listed = try #require(devices.modules.first { String($0.index) == module })
            #expect(listed.name == "module-null-sink" && listed.argument == argument)
            let input = try #require(devices.sinkInputs.first { $0.device == sink.index })
            #expect(input.isOwn && input.name == "music" && input.applicationName == "PulseAudioTests")
            #expect(input.role == "phone" && !input.isCorked)
            let output = try #require(devices.sourceOutputs.first { $0.isOwn })
            #expect(output.name == "test" && !output.isMeter)
            #expect(devices.sources.contains { $0.index == output.device && $0.name == "tone" })
            playback.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop
        func `software that records a monitor is not taken for the last microphone in a list without streams`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            fixture.audio.previousDefault.name = "tone"
            let arguments = ["module-remap-source", "master=speaker.monitor", "source_name=software"]
            try await fixture.server.pactl(["load-module"] + arguments)
            try await fixture.server.pactl("set-default-source", "software")
            try await until {
                let devices = try await fixture.audio.list([.server, .card, .source, .sink])
                let source = devices.sources.first { $0.name == devices.defaultSource }
                return source?.name == "software"
            }
            #expect(fixture.audio.previousDefault.name == "tone")
        }

        @EventLoop @Test func `without a connection a list fails at once`() async {
            let audio = AudioServer(applicationName: "PulseAudioTests")
            await #expect(throws: AudioError.self) { try await audio.list([.sink]) }
        }
    }
}
