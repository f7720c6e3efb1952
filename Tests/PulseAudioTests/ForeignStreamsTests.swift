import EventLoop
import TestSupport
import Testing

@testable import PulseAudio

extension RealServers {
    @Suite(.timeLimit(.minutes(3)))
    struct ForeignStreamsTests {
        init() { withRunningLoop() }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `streams of others are reported when they come and when they end, ours only in doubt`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let (events, changes) = (Recorder<SoundDeviceEvent>(), Recorder<Int>())
            let streams = ForeignStreams(fixture.audio) { changes.add(1) }
            let observation = fixture.audio.observe([.sourceOutput, .sinkInput]) {
                streams.handle($0)
                events.add($0)
            }
            defer { observation.cancel() }
            for count in 1...2 {
                let capture = try Capture(fixture)
                try await capture.untilStarted()
                capture.close()
                try await events.wait("the end of our stream") { $0.count { $0.type == .remove } == count }
            }
            // A busy PipeWire reports a change of a stream after it has confirmed its end.
            #expect(changes.all.count < events.all.count(where: { $0.type != .remove }))

            let doubts = changes.all.count
            let application = try CallApplication(fixture.server, recordingFrom: "tone")
            _ = try await application.next(100)
            streams.listBegins()
            let devices = try await fixture.audio.list([.sourceOutput, .sinkInput])
            #expect(changes.all.count > doubts && devices.sourceOutputs.contains { !$0.isOwn })
            streams.update(devices)
            let before = changes.all.count
            application.kill()
            try await changes.wait("the end of its stream") { $0.count > before }
        }

        @Test @EventLoop func `a stream that ends while it is being listed is reported after the list`()
            async throws
        {
            let changes = Recorder<Int>()
            let streams = ForeignStreams(AudioServer(applicationName: "test")) { changes.add(1) }
            var devices = AudioDevices()
            var stream = AudioStream(device: 1)
            stream.index = 7
            devices.sourceOutputs = [stream]
            streams.listBegins()
            streams.handle(SoundDeviceEvent(kind: .sourceOutput, index: 7, type: .remove))
            #expect(changes.all.isEmpty)
            streams.update(devices)
            #expect(changes.all.count == 1)
        }
    }
}
