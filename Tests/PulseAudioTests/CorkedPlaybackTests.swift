import EventLoop
import Glibc
import TestSupport
import Testing

@testable import PulseAudio

extension RealServers {
    /// A stream that is opened long before it plays.
    @Suite(.timeLimit(.minutes(3)))
    struct CorkedPlaybackTests {
        init() { withRunningLoop() }

        /// As a tone is played: the stream waits, and all samples are sent before it is uncorked.
        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a corked stream plays nothing until it is uncorked, and then from the beginning`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let listener = try Capture(fixture, device: "speaker.monitor")
            try await listener.untilStarted()
            let (player, _) = try await open(on: fixture)
            #expect(replace(on: player, with: 880, .milliseconds(400)))
            let silent = listener.samples.count
            try await listener.untilSamples(silent + 9600)
            #expect(listener.audible.isEmpty)
            player.cork(false)
            try await listener.untilAudible(19_200)
            #expect(abs(frequency(listener.audible.prefix(19_200)) - 880) < 5)
            player.close()
            listener.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a stream that is drained, corked and flushed plays again, and nothing old`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let listener = try Capture(fixture, device: "speaker.monitor")
            try await listener.untilStarted()
            let (player, _) = try await open(on: fixture)
            // The second is never heard: it is replaced before the stream is uncorked.
            for (pitch, isHeard) in [(880.0, true), (220, false), (1320, true)] {
                #expect(replace(on: player, with: pitch, .milliseconds(200)))
                guard isHeard else { continue }
                let drained = Recorder<Bool>()
                player.cork(false)
                player.drain { drained.add(true) }
                try await drained.wait(for: true)
                player.cork(true)
                player.flush()
            }
            let heard = 2 * 9600
            try await listener.happenings.wait("both tones") { _ in listener.audibleCount >= heard * 8 / 10 }
            let (first, second) = (listener.audible.prefix(9000), listener.samples.reversed())
            #expect(abs(frequency(first) - 880) < 5)
            let last = Array(second.drop { abs($0) < 1000 }.prefix(9000))
            #expect(abs(frequency(last) - 1320) < 8)
            player.close()
            listener.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `the latency of both directions is that of what waits, and known when asked for`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let (player, _) = try await open(on: fixture)
            _ = replace(on: player, with: 440, .milliseconds(900))
            player.cork(false)
            let latencies = Recorder<Duration?>()
            player.latency { latencies.add($0) }
            try await latencies.wait("the latency") { !$0.isEmpty }
            let waiting = try #require(latencies.all[0])
            #expect((.milliseconds(500)...Duration.seconds(3)).contains(waiting))
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            capture.stream?.latency { latencies.add($0) }
            try await latencies.wait("the latency of the capture") { $0.count == 2 }
            let age = try #require(latencies.all[1])
            #expect((.zero...Duration.seconds(1)).contains(age))
            player.close()
            player.latency { latencies.add($0) }
            #expect(latencies.all.count == 2)
            capture.close()
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `more than the server is to store is refused`(program: SoundServerProgram)
            async throws
        {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let (player, _) = try await open(on: fixture)
            #expect(!replace(on: player, with: 440, .milliseconds(1001)))
            #expect(replace(on: player, with: 440, .milliseconds(1000)))
            player.close()
            #expect(!replace(on: player, with: 440, .milliseconds(10)))
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a stream that stays on its device fails with it, and cannot be moved`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let sink = try await fixture.server.pactl("load-module", "module-null-sink", "sink_name=feed")
            let (player, events) = try await open(on: fixture, device: "feed", staysOnDevice: true)
            #expect(player.deviceName == "feed")
            let input = try await fixture.server.pactl("list", "short", "sink-inputs").prefix { $0 != "\t" }
            await #expect(throws: (any Error).self) {
                try await fixture.server.pactl("move-sink-input", String(input), "speaker")
            }
            #expect(player.deviceName == "feed")
            try await fixture.server.pactl("unload-module", sink)
            try await events.wait("the failure") { if case .failed = $0.last { true } else { false } }
            #expect(try await fixture.server.pactl("list", "short", "sink-inputs").isEmpty)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a stream without a role has none`(program: SoundServerProgram) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let (player, _) = try await open(on: fixture)
            let listing = try await fixture.server.pactl("list", "sink-inputs")
            #expect(listing.contains("media.name = \"waiting\"") && !listing.contains("media.role"))
            player.close()
        }

        /// Beside a player the fragments of a sink are short, and there is always one more.
        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a listener that is slower than its sink lets the loop go on`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let (player, _) = try await open(on: fixture)
            let heard = Recorder<Int>()
            let listener = try CaptureStream(
                on: fixture.audio,
                StreamRequest(name: "slow", device: "speaker.monitor"),
                events: { _ in },
                fragments: { bytes, _ in
                    // The work of a busy machine, longer than a fragment lasts.
                    usleep(20_000)
                    heard.add(bytes.count)
                }
            )
            try await heard.wait("many fragments") { $0.count > 50 }
            listener.close()
            player.close()
        }

        @EventLoop private func open(
            on fixture: AudioServerFixture,
            device: String? = nil,
            staysOnDevice: Bool = false
        ) async throws -> (PlaybackStream, Recorder<PlaybackStream.Event>) {
            var request = StreamRequest(
                name: "waiting",
                role: nil,
                device: device,
                startsCorked: true,
                bufferLimit: .seconds(1)
            )
            request.staysOnDevice = staysOnDevice
            let events = Recorder<PlaybackStream.Event>()
            let player = try PlaybackStream(on: fixture.audio, request) { events.add($0) }
            try await events.wait(for: .opened)
            return (player, events)
        }

        @EventLoop private func replace(
            on player: PlaybackStream,
            with pitch: Double,
            _ duration: Duration
        ) -> Bool {
            sine(pitch, duration).withUnsafeBytes { player.replace(with: $0) }
        }
    }
}

func sine(_ pitch: Double, _ duration: Duration) -> [Int16] {
    let count = SampleSpec.speech.byteCount(of: duration) / 2
    return (0..<count).map { Int16(10_000 * sin(Double($0) * pitch * 2 * .pi / 48_000)) }
}
