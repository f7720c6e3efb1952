import EventLoop
import TestSupport
import Testing

@testable import PulseAudio

extension RealServers {
    /// The source as an application hears it, and as its modules are listed.
    @Suite(.timeLimit(.minutes(3)))
    struct VirtualSourceTests {
        init() { withRunningLoop() }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `it delivers exact silence, then what is written, then exact silence`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await VirtualSourceFixture.start(program)
            defer { fixture.stop() }
            let application = try await fixture.record()
            for _ in 0..<3 {
                #expect(try await application.loudest(ofNext: 9600) == 0)
                fixture.talk()
                #expect(try await application.loudest(ofNext: 9600, skipping: 4800) > 9000)
                fixture.endTalk()
                try await application.untilSilent()
            }
            #expect(frequency(application.samples.filter { $0 != 0 }) > 400)
            application.close()
            try await fixture.untilIdle()
            #expect(fixture.remarks.all == [])
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `what an earlier process has left is adopted, and the feed is muted`(
            program: SoundServerProgram
        ) async throws {
            let first = try await VirtualSourceFixture.start(program)
            defer { first.outside.stop() }
            let application = try await first.record()
            first.talk()
            #expect(try await application.loudest(ofNext: 4800, skipping: 4800) > 9000)
            let modules = try await first.server.pactl("list", "short", "modules")
            // Killed while the feed is not muted.
            first.disappear()
            try await application.untilSilent()
            let second = VirtualSourceFixture(first.outside)
            defer { second.disappear() }
            second.source.start()
            try await second.untilRecorded(by: ["PulseAudioTests"])
            #expect(try await first.server.pactl("list", "short", "modules") == modules)
            second.talk()
            #expect(try await application.loudest(ofNext: 4800, skipping: 4800) > 9000)
            second.endTalk()
            try await application.untilSilent()
        }

        @Test @EventLoop func `GNOME has no stream to show its microphone symbol for while nothing records`()
            async throws
        {
            let fixture = try await VirtualSourceFixture.start(.pulseAudio)
            defer { fixture.stop() }
            let streams = try await fixture.server.pactl("list", "source-outputs")
            #expect(streams.contains(#"media.name = "Remapped Stream""#), "\(streams)")
            #expect(streams.contains(#"application.id = "org.PulseAudio.pavucontrol""#), "\(streams)")
            let modules = try await fixture.server.pactl("list", "short", "modules")
            #expect(!modules.contains("module-cli"), "\(modules)")
            #expect(fixture.remarks.all == [])
        }

        @Test @EventLoop func `its removal unloads a command line that an earlier process has left, too`()
            async throws
        {
            let fixture = try await VirtualSourceFixture.start(.pulseAudio)
            defer { fixture.stop() }
            let socket = try #require(fixture.audio.commandSocket)
            try await fixture.server.pactl("load-module", "module-cli-protocol-unix", "socket=\(socket)")
            let removals = Recorder<Bool>()
            fixture.source.remove { result in
                if case .success = result { removals.add(true) } else { removals.add(false) }
            }
            try await removals.wait("an answer") { !$0.isEmpty }
            #expect(removals.all == [true])
            let modules = try await fixture.server.pactl("list", "short", "modules")
            #expect(!modules.contains("module-cli"), "\(modules)")
        }

        @Test @EventLoop func `a server that refuses the feed again and again is asked after a rest`()
            async throws
        {
            let fixture = try await VirtualSourceFixture.start(.pulseAudio)
            defer { fixture.stop() }
            let refusals = Recorder<MonotonicInstant>()
            fixture.source.remarked = { if $0.hasPrefix("could not play") { refusals.add(.now) } }
            let players = try await fillFeed(of: fixture)
            let application = try await fixture.record()
            try await refusals.wait("three refusals") { $0.count >= 3 }
            #expect(refusals.all[2] - refusals.all[1] > .seconds(1))
            for player in players { player.close() }
            fixture.talk()
            try await application.untilAudible(4800)
        }

        /// Opens as many streams as the server allows for a sink.
        @EventLoop private func fillFeed(of fixture: VirtualSourceFixture) async throws -> [PlaybackStream] {
            var players: [PlaybackStream] = []
            while players.count < 1000 {
                let events = Recorder<PlaybackStream.Event>()
                let request = StreamRequest(name: "full", role: nil, device: "ptt_feed", startsCorked: true)
                let player = try PlaybackStream(on: fixture.audio, request) { events.add($0) }
                try await events.wait("an answer") { !$0.isEmpty }
                guard events.all.first == .opened else { return players }
                players.append(player)
            }
            Issue.record("the server allows any number of streams")
            return players
        }
    }
}
