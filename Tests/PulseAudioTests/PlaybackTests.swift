import EventLoop
import TestSupport
import Testing

@testable import PulseAudio

extension RealServers {
    @Suite(.timeLimit(.minutes(3)))
    struct PlaybackTests {
        init() { withRunningLoop() }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `written samples are played at the sink`(program: SoundServerProgram)
            async throws
        {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let listener = try Capture(fixture, device: "speaker.monitor")
            try await listener.untilStarted()
            let events = Recorder<PlaybackStream.Event>()
            let request = StreamRequest(name: "tone", latency: .milliseconds(200))
            let player = try PlaybackStream(on: fixture.audio, request) { events.add($0) }
            #expect(play(880, .milliseconds(500), on: player) == 48_000)
            try await events.wait(for: .started)
            try await events.wait(for: .underflowed)
            #expect(player.pendingByteCount == 0)
            try await listener.untilAudible(19_200)
            player.close()
            #expect(abs(frequency(listener.audible.prefix(19_200)) - 880) < 5)
            listener.close()
            try await fixture.untilSinkInputs(0)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `the opening is reported before anything is written, and only once`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let events = Recorder<PlaybackStream.Event>()
            let player = try PlaybackStream(on: fixture.audio, StreamRequest(name: "still")) {
                events.add($0)
            }
            #expect(events.all.isEmpty)
            try await events.wait(for: .opened)
            #expect(player.deviceName == "speaker")
            #expect(!events.all.contains(.writable))
            _ = play(440, .milliseconds(60), on: player)
            try await events.wait(for: .started)
            #expect(events.all.count { $0 == .opened } == 1)
            player.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `each time the server receives pending samples is reported until none are pending`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let waiting = Recorder<Int>()
            let players = Recorder<PlaybackStream>()
            let player = try PlaybackStream(on: fixture.audio, StreamRequest(name: "long")) { event in
                if event == .writable, let player = players.all.last { waiting.add(player.pendingByteCount) }
            }
            players.add(player)
            #expect(play(440, .milliseconds(1200), on: player) == 115_200)
            #expect(player.pendingByteCount == 115_200)
            try await waiting.wait("nothing is pending") { $0.last == 0 }
            // The count decreases each time, and not in a single step.
            #expect(zip(waiting.all, waiting.all.dropFirst()).allSatisfy { $0 > $1 })
            #expect(waiting.all.count > 1)
            player.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop
        func `at most two seconds are pending, however small the pieces that are written`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let events = Recorder<PlaybackStream.Event>()
            let player = try PlaybackStream(on: fixture.audio, StreamRequest(name: "pieces")) {
                events.add($0)
            }
            try await events.wait(for: .opened)
            var accepted = 0
            for _ in 0..<150 { accepted += play(440, .milliseconds(20), on: player) }
            // At most two seconds are pending, and the server's buffer of half a second is never overrun.
            #expect(player.pendingByteCount == 192_000)
            #expect((192_000...192_000 + 60_000).contains(accepted))
            player.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `an underflow is reported and playback continues`(program: SoundServerProgram)
            async throws
        {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let events = Recorder<PlaybackStream.Event>()
            let player = try PlaybackStream(on: fixture.audio, StreamRequest(name: "dry")) { events.add($0) }
            _ = play(440, .milliseconds(60), on: player)
            try await events.wait(for: .underflowed)
            let first = events.all.count { $0 == .underflowed }
            _ = play(440, .milliseconds(60), on: player)
            try await events.wait("the second underflow") { $0.count { $0 == .underflowed } > first }
            // A server that stood still may underflow before it has asked for the rest.
            try await until { player.pendingByteCount == 0 }
            player.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a closed stream discards what is pending and accepts nothing`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let player = try PlaybackStream(on: fixture.audio, StreamRequest(name: "cut")) { _ in }
            // More than is accepted: at most two seconds wait.
            #expect(play(440, .seconds(3), on: player) == 192_000)
            player.close()
            #expect(player.pendingByteCount == 0)
            #expect(play(440, .milliseconds(20), on: player) == 0)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a killed server fails the playback once`(program: SoundServerProgram)
            async throws
        {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let events = Recorder<PlaybackStream.Event>()
            let player = try PlaybackStream(on: fixture.audio, StreamRequest(name: "lost")) { events.add($0) }
            _ = play(440, .seconds(2), on: player)
            try await events.wait(for: .started)
            fixture.server.kill()
            try await events.wait("the failure") { if case .failed = $0.last { true } else { false } }
            #expect(play(440, .milliseconds(20), on: player) == 0)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `the sources are listed with the default`(program: SoundServerProgram)
            async throws
        {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            var devices = try await fixture.audio.devices()
            // WirePlumber may choose the monitor for a moment.
            try await until {
                devices = try await fixture.audio.devices()
                return devices.defaultSource == "tone"
            }
            #expect(Set(devices.sources.map(\.name)) == ["tone", "speaker.monitor"])
            #expect(devices.sources.filter(\.isMonitor).map(\.name) == ["speaker.monitor"])
        }

        @EventLoop private func play(_ pitch: Double, _ duration: Duration, on player: PlaybackStream) -> Int
        {
            sine(pitch, duration).withUnsafeBytes { player.write($0) }
        }
    }
}
