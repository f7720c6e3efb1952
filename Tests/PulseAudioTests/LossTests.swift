import EventLoop
import Glibc
import TestSupport
import Testing

@testable import PulseAudio

extension RealServers {
    @Suite(.timeLimit(.minutes(3)))
    struct LossTests {
        init() { withRunningLoop() }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a killed server fails its streams once, and is connected to again after its restart`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            fixture.server.kill()
            try await capture.untilFailed()
            try await fixture.states.wait("the loss is reported") {
                if case .lost = $0.last { true } else { false }
            }
            try await fixture.server.restart()
            try await fixture.untilReady()
            #expect(capture.events.count { if case .failed = $0 { true } else { false } } == 1)
            #expect(fixture.states.all.count == 4)
            let second = try Capture(fixture)
            try await second.untilStarted()
            second.close()
            try await fixture.untilSourceOutputs(0)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a server that starts later is connected to`(program: SoundServerProgram)
            async throws
        {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            fixture.server.kill()
            let audio = AudioServer(applicationName: "late", address: fixture.server.address)
            let states = Recorder<AudioServer.State>()
            audio.stateChanged = { states.add($0) }
            audio.connect()
            try await states.wait("there is no server") { if case .lost = $0.last { true } else { false } }
            #expect(throws: AudioError.self) {
                try CaptureStream(
                    on: audio,
                    StreamRequest(name: "test"),
                    events: { _ in },
                    fragments: { _, _ in }
                )
            }
            try await fixture.server.restart()
            try await states.wait("the server is found") { if case .ready = $0.last { true } else { false } }
            audio.close()
            #expect(states.all.last == .closed)
            #expect(states.all.count == 4)
        }

        /// A busy server may have bound its socket and not listen yet when it is connected to, and here the
        /// next attempt after that is in an hour. Only who has noticed the creation of a socket notices this.
        @EventLoop private func changeSockets(of server: PrivateAudioServer) {
            for path in ServerSocket.paths(server.address) { utimes(path, nil) }
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a restarted server is detected by its socket, long before the next attempt`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let slow = BackOff(first: .seconds(3600), limit: .seconds(3600))
            let audio = AudioServer(
                applicationName: "patient",
                address: fixture.server.address,
                backOff: slow
            )
            let states = Recorder<AudioServer.State>()
            audio.stateChanged = { states.add($0) }
            audio.connect()
            for _ in 0..<3 {
                try await states.wait("it is there") { if case .ready = $0.last { true } else { false } }
                fixture.server.kill()
                try await states.wait("it is gone") { if case .lost = $0.last { true } else { false } }
                try await fixture.server.restart()
                changeSockets(of: fixture.server)
            }
            try await states.wait("it is back") { if case .ready = $0.last { true } else { false } }
            audio.close()
        }

        @Test @EventLoop func `a restart of PipeWire alone, without pipewire-pulse, is detected as well`()
            async throws
        {
            let fixture = try await AudioServerFixture.start(.pipeWire)
            defer { fixture.stop() }
            let slow = BackOff(first: .seconds(3600), limit: .seconds(3600))
            let audio = AudioServer(
                applicationName: "patient",
                address: fixture.server.address,
                backOff: slow
            )
            let states = Recorder<AudioServer.State>()
            audio.stateChanged = { states.add($0) }
            audio.connect()
            try await states.wait("it is there") { if case .ready = $0.last { true } else { false } }
            fixture.server.kill(only: "pipewire")
            try await states.wait("it is gone") { if case .lost = $0.last { true } else { false } }
            try await fixture.server.restart(only: "pipewire")
            changeSockets(of: fixture.server)
            try await states.wait("it is back") { if case .ready = $0.last { true } else { false } }
            audio.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `the loss of the only microphone is a failure, not a capture of the speaker`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            try await fixture.server.removeMicrophone()
            // Both servers would move the stream to the speaker's monitor.
            try await capture.untilFailed(within: .seconds(3))
            #expect(capture.events.first?.isOpened == true)
            #expect(capture.events.count { $0.isOpened } == 1)
            try await fixture.untilSourceOutputs(0)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a capture cannot be moved to another device, and a new default does not move it`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            let index = try #require(
                try await fixture.server.sourceOutputs().first?.split(separator: "\t").first
            )
            await #expect(throws: NotUsable.self) {
                try await fixture.server.pactl("move-source-output", String(index), "speaker.monitor")
            }
            try await fixture.server.pactl("set-default-source", "speaker.monitor")
            try await fixture.server.untilDefaultSource(is: "speaker.monitor")
            let count = capture.samples.count
            try await capture.untilSamples(count + 9600)
            #expect(capture.stream?.deviceName == "tone")
            // The speaker is silent.
            #expect(capture.samples.suffix(4800).contains { $0 != 0 })
            capture.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a server that does not answer stalls the capture and cannot keep it open`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            fixture.server.freeze()
            try await capture.happenings.wait(for: .event(.stalled), within: .seconds(2))
            capture.close()
            // The end is not confirmed, so that the connection is closed, and the stream ends with it.
            try await fixture.states.wait("the connection is closed", within: .seconds(5)) {
                if case .lost = $0.last { true } else { false }
            }
            #expect(capture.events.last == .stalled)
        }

        /// The time limit is over when it goes on, and what was captured meanwhile is still to be read.
        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a process that stood still for longer than a gap may be has lost no microphone`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            // This process plays the tone of PulseAudio's microphone.
            let capture = try Capture(fixture, device: "speaker.monitor")
            try await capture.untilStarted()
            for _ in 0..<3 {
                let count = capture.samples.count
                let end = MonotonicInstant.now + .milliseconds(700)
                while MonotonicInstant.now < end {}
                try await capture.untilSamples(count + 48_000 * 7 / 10)
            }
            #expect(!capture.events.contains(.stalled))
            capture.close()
        }

        @Test func `the server's socket is that of libpulse`() {
            func path(_ address: String?, pulse: String? = nil, runtime: String? = "/run/user/1")
                -> String?
            {
                ServerSocket.path(address, pulseDirectory: pulse, runtimeDirectory: runtime)
            }
            #expect(path(nil) == "/run/user/1/pulse/native")
            #expect(path(nil, pulse: "/elsewhere") == "/elsewhere/native")
            #expect(path(nil, runtime: nil) == nil)
            #expect(path("unix:/a/native") == "/a/native")
            #expect(path("/a/native") == "/a/native")
            #expect(path("{0123}unix:/a/native tcp:b") == "/a/native")
            #expect(path("tcp:b:4713 unix:/a/native") == "/a/native")
            #expect(path("tcp:b") == nil)
            #expect(path("") == nil)
            #expect(ServerSocket.commandLine("unix:/a/native") == "/a/push-to-talk-commands")
            #expect(ServerSocket.commandLine("unix:/a'b/native") == nil)
            #expect(ServerSocket.commandLine("tcp:b") == nil)
        }

        @Test @EventLoop func `without a server the attempts slow down and the loss is reported once`()
            async throws
        {
            let audio = AudioServer(applicationName: "alone", address: "unix:/nonexistent/native")
            let states = Recorder<AudioServer.State>()
            audio.stateChanged = { states.add($0) }
            audio.connect()
            try await states.wait("there is no server") { if case .lost = $0.last { true } else { false } }
            #expect(states.all.count == 2)
            let failure = await #expect(throws: AudioError.self) { try await audio.devices() }
            #expect(failure?.kind == .serverLost)
            audio.close()
            #expect(audio.state == .closed)
        }
    }
}
