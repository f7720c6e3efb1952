import EventLoop
import TestSupport
import Testing

@testable import PulseAudio

extension RealServers {
    @Suite(.timeLimit(.minutes(3)))
    struct CaptureTests {
        init() { withRunningLoop() }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `the microphone's tone is captured`(program: SoundServerProgram) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture)
            try await capture.untilSamples(24_000)
            capture.close()
            #expect(abs(frequency(capture.samples.suffix(19_200)) - 440) < 2)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `the start is reported once, before the first fragment`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let opened = MonotonicInstant.now
            let capture = try Capture(fixture)
            #expect(capture.happenings.all.isEmpty)
            try await capture.untilSamples(4800)
            capture.close()
            // A new source of PipeWire has no volume until WirePlumber has set it.
            let reported = capture.happenings.all.filter { happening in
                if case .event(.changed) = happening { false } else { true }
            }
            guard case .event(.opened(let source)) = reported.first else {
                Issue.record("\(reported.prefix(2))")
                return
            }
            #expect(source.name == "tone" && !source.description.isEmpty)
            #expect(!source.isMuted)
            #expect(reported.dropFirst().first == .event(.started))
            #expect(reported.count { $0 == .event(.started) } == 1)
            #expect(capture.times.allSatisfy { $0 > opened + .milliseconds(-500) && $0 < .now })
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `the stream carries the role phone`(program: SoundServerProgram) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            let outputs = try await fixture.server.pactl("list", "source-outputs")
            #expect(outputs.contains("media.role = \"phone\""))
            #expect(outputs.contains("application.name = \"PulseAudioTests\""))
            #expect(capture.stream?.deviceName == "tone")
            capture.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `closing leaves no capture behind and nothing is delivered afterwards`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            #expect(try await fixture.server.sourceOutputs().count == 1)
            capture.close()
            let count = capture.happenings.all.count
            try await fixture.untilSourceOutputs(0)
            #expect(capture.happenings.all.count == count)
            #expect(fixture.audio.state == fixture.states.all.last)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `dropping the last reference closes as well`(program: SoundServerProgram)
            async throws
        {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            capture.drop()
            try await fixture.untilSourceOutputs(0)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `closing during the opening leaves no capture behind`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let closed = try Capture(fixture)
            closed.close()
            let dropped = try Capture(fixture)
            dropped.drop()
            // Requests are answered in order, so that the first two have ended when this one has started.
            let witness = try Capture(fixture)
            try await witness.untilStarted()
            try await fixture.untilSourceOutputs(1)
            #expect(closed.happenings.all.isEmpty)
            #expect(dropped.happenings.all.isEmpty)
            #expect(fixture.states.all.count == 2)
            witness.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a handler may close its own stream`(program: SoundServerProgram) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let seen = Recorder<Int>()
            var stream: CaptureStream?
            stream = try CaptureStream(
                on: fixture.audio,
                StreamRequest(name: "test"),
                events: { _ in },
                fragments: { bytes, _ in
                    seen.add(bytes.count)
                    stream?.close()
                    stream = nil
                }
            )
            try await seen.wait("a fragment") { !$0.isEmpty }
            try await fixture.untilSourceOutputs(0)
            #expect(seen.all.count == 1)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a handler may end the connection`(program: SoundServerProgram) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let seen = Recorder<Int>()
            let stream = try CaptureStream(
                on: fixture.audio,
                StreamRequest(name: "test"),
                events: { _ in },
                fragments: { bytes, _ in
                    seen.add(bytes.count)
                    fixture.audio.close()
                }
            )
            try await seen.wait("a fragment") { !$0.isEmpty }
            try await fixture.untilSourceOutputs(0)
            #expect(seen.all.count == 1)
            stream.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `two hundred openings leak no descriptor`(program: SoundServerProgram)
            async throws
        {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            // libpulse keeps some descriptors open after the first stream.
            for _ in 0..<5 { try await openAndClose(fixture) }
            try await fixture.untilSourceOutputs(0)
            let before = openDescriptors()
            for _ in 0..<180 { try await openAndClose(fixture) }
            for _ in 0..<20 { try Capture(fixture).close() }
            try await fixture.untilSourceOutputs(0)
            #expect(openDescriptors() == before)
            #expect(fixture.states.all.count == 2)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a device that does not exist is a failure that names it`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture, device: "no-such-microphone")
            try await capture.untilFailed()
            guard case .failed(let error) = capture.events.last else { return }
            #expect("\(error)".hasPrefix("could not capture from “no-such-microphone”: No such entity"))
            try await fixture.untilSourceOutputs(0)
            // pipewire-pulse opened the default microphone instead.
            #expect(capture.samples.isEmpty)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `the user's mute is reported and not changed`(program: SoundServerProgram)
            async throws
        {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            try await fixture.server.pactl("set-source-mute", "tone", "1")
            let capture = try Capture(fixture)
            try await capture.untilSource { $0.isMuted && !$0.isSilent }
            try await fixture.server.pactl("set-source-mute", "tone", "0")
            try await capture.untilSource { !$0.isMuted }
            try await fixture.server.pactl("set-source-volume", "tone", "0%")
            try await capture.untilSource { !$0.isMuted && $0.isSilent }
            try await fixture.server.pactl("set-source-volume", "tone", "100%")
            try await capture.untilSource { !$0.isSilent }
            try await fixture.server.pactl("set-source-mute", "tone", "1")
            try await capture.untilSource(\.isMuted)
            capture.close()
            #expect(try await fixture.audio.devices().sources.first { $0.name == "tone" }?.isMuted == true)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a microphone that is opened and closed in a loop leaves one list under way`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            for _ in 0..<200 { try Capture(fixture).close() }
            let connection = try fixture.audio.connectedForCapture("test")
            #expect(connection.requests.count == 1 && connection.sources.asked.count <= 1)
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            capture.close()
        }

        @EventLoop private func openAndClose(_ fixture: AudioServerFixture) async throws {
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            capture.close()
        }
    }
}
