import CoreConfiguration
import EventLoop
import Foundation
import Glibc
import Journal
import Logging
import PTTMessages
import PulseAudio
import TestSupport
import Testing

@testable import pttd

/// `ducking` with the built core, both sound servers, which remember volumes, and music of another program.
@Suite(.serialized) struct DuckingTests {
    init() { withRunningLoop() }

    /// How the music plays.
    private struct Level: Equatable, CustomStringConvertible {
        var volume = 65536
        var isMuted = false

        var description: String { isMuted ? "muted at \(volume)" : "\(volume)" }
    }

    private static func ducked(_ mode: String) -> Level {
        mode == "mute" ? Level(isMuted: true) : Level(volume: Int(65536 * 0.464))
    }

    @EventLoop private func start(
        _ program: SoundServerProgram,
        _ mode: String?
    ) async throws -> MicrophoneFixture {
        try await .start(program, mode.map { "ducking = \"\($0)\"" }) { sound in
            // WirePlumber remembers without it.
            if program == .pulseAudio { try await sound.pactl("load-module", "module-stream-restore") }
        }
    }

    @EventLoop private func play(_ fixture: MicrophoneFixture) throws -> TestProcess {
        try fixture.sound.play("/dev/zero", to: "speaker")
    }

    @EventLoop private func levels(_ fixture: MicrophoneFixture) async throws -> [Level] {
        let blocks = try await fixture.sound.pactl("list", "sink-inputs").components(
            separatedBy: "Sink Input #"
        )
        return blocks.filter { $0.contains("application.name = \"pacat\"") }.map { block in
            let volume = block.firstMatch(of: /Volume: [^:]*: *([0-9]+)/).flatMap { Int($0.1) }
            return Level(volume: volume ?? -1, isMuted: block.contains("Mute: yes"))
        }
    }

    @EventLoop private func until(
        _ wanted: [Level],
        _ fixture: MicrophoneFixture,
        line: UInt = #line
    ) async throws {
        try await TestSupport.until(line: line) { try await levels(fixture) == wanted }
    }

    @EventLoop private func untilForgotten(
        _ fixture: MicrophoneFixture,
        line: UInt = #line
    ) async throws {
        let path = fixture.core.state("ducking.json")
        try await TestSupport.until(line: line) { access(path, F_OK) != 0 }
    }

    @Test(arguments: SoundServerProgram.allCases, ["lower", "mute"])
    @EventLoop func `what another program plays is softer in a press, and as before after it`(
        program: SoundServerProgram,
        mode: String
    ) async throws {
        let fixture = try await start(program, mode)
        let music = try play(fixture)
        try await until([Level()], fixture)
        for _ in 0..<2 {
            _ = try await fixture.accessoryd.begin()
            #expect(try await fixture.firstSoundOrEnd() == nil)
            try await until([Self.ducked(mode)], fixture)
            try await fixture.accessoryd.end()
            #expect(try await fixture.end() == .released)
            try await until([Level()], fixture)
        }
        try await untilForgotten(fixture)
        music.kill()
    }

    @Test @EventLoop func `without the setting nothing becomes softer`() async throws {
        let fixture = try await start(.pulseAudio, nil)
        let music = try play(fixture)
        try await until([Level()], fixture)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        try await fixture.packets(20)
        #expect(try await levels(fixture) == [Level()])
        #expect(access(fixture.core.state("ducking.json"), F_OK) != 0)
        music.kill()
    }

    @Test(arguments: SoundServerProgram.allCases, ["lower", "mute"])
    @EventLoop func `what a killed core has changed is restored by the next run`(
        program: SoundServerProgram,
        mode: String
    ) async throws {
        let fixture = try await start(program, mode)
        let music = try play(fixture)
        try await until([Level()], fixture)
        _ = try await fixture.accessoryd.begin()
        try await until([Self.ducked(mode)], fixture)
        try await fixture.core.crashAndRestart()
        try await until([Level()], fixture)
        try await untilForgotten(fixture)
        music.kill()
    }

    @Test(arguments: SoundServerProgram.allCases, ["lower", "mute"])
    @EventLoop func `a program that ended in a press is as before when it plays again`(
        program: SoundServerProgram,
        mode: String
    ) async throws {
        let fixture = try await start(program, mode)
        let music = try play(fixture)
        try await until([Level()], fixture)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        try await until([Self.ducked(mode)], fixture)
        music.kill()
        try await until([], fixture)
        try await fixture.accessoryd.end()
        #expect(try await fixture.end() == .released)
        let again = try play(fixture)
        try await until([Level()], fixture)
        try await untilForgotten(fixture)
        #expect(try await levels(fixture) == [Level()])
        again.kill()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `streams that appear in mid-press are softer, and as before after it`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await start(program, "lower")
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        let music = try play(fixture)
        try await until([Self.ducked("lower")], fixture)
        // The server gives it the remembered volume, which is ours.
        let second = try play(fixture)
        try await until([Self.ducked("lower"), Self.ducked("lower")], fixture)
        try await fixture.accessoryd.end()
        #expect(try await fixture.end() == .released)
        try await until([Level(), Level()], fixture)
        try await untilForgotten(fixture)
        music.kill()
        second.kill()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a volume that a person changes in mid-press stays`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await start(program, "lower")
        let music = try play(fixture)
        try await until([Level()], fixture)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        try await until([Self.ducked("lower")], fixture)
        let inputs = try await fixture.sound.pactl("list", "sink-inputs").components(
            separatedBy: "Sink Input #"
        )
        let input = try #require(inputs.first { $0.contains("application.name = \"pacat\"") })
        try await fixture.sound.pactl("set-sink-input-volume", "\(input.prefix { $0 != "\n" })", "50000")
        try await untilForgotten(fixture)
        try await fixture.accessoryd.end()
        #expect(try await fixture.end() == .released)
        #expect(try await levels(fixture) == [Level(volume: 50000)])
        music.kill()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `after the death of the server in a press its next one plays as before`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await start(program, "lower")
        let music = try play(fixture)
        try await until([Level()], fixture)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        try await until([Self.ducked("lower")], fixture)
        // WirePlumber writes down what it remembers after a second.
        if program == .pipeWire { await pause(.milliseconds(1500)) }
        try await fixture.sound.restart()
        #expect(try await fixture.end() == .audioServerLost)
        try await fixture.published { $0 == .audioServerReady }
        if program == .pulseAudio { try await fixture.sound.pactl("load-module", "module-stream-restore") }
        music.kill()
        let again = try play(fixture)
        try await until([Level()], fixture)
        try await untilForgotten(fixture)
        #expect(try await levels(fixture) == [Level()])
        again.kill()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a core that is stopped in a press restores before it exits`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await start(program, "mute")
        let music = try play(fixture)
        try await until([Level()], fixture)
        _ = try await fixture.accessoryd.begin()
        try await until([Self.ducked("mute")], fixture)
        fixture.core.process.signal(SIGTERM)
        #expect(try await fixture.core.process.exitStatus() == 0)
        try await until([Level()], fixture)
        music.kill()
    }

    @Test @EventLoop func `what was not listed in time at the beginning of a press is softer as well`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        try await sound.pactl("load-module", "module-stream-restore")
        let music = try sound.play("/dev/zero", to: "speaker")
        try await TestSupport.until {
            try await sound.pactl("list", "sink-inputs").contains("Corked: no")
        }
        let server = AudioServer(applicationName: "Test", address: sound.address)
        let (ready, unanswered) = (AsyncQueue(of: Void.self), AsyncQueue(of: Void.self))
        server.stateChanged = { if case .ready = $0 { ready.add(()) } }
        server.connect()
        try await ready.next()
        let (state, log) = (try Scratch(), RateLimitedLog(Logger(label: "DuckingTests")))
        let ducking = Ducking(.mute, server: server, directory: state.directory, log: log)
        sound.freeze()
        ducking?.begin()
        // Given up after the one of the ducking.
        server.list([.sink]) { if case .failure = $0 { unanswered.add(()) } }
        try await unanswered.next()
        sound.thaw()
        try await TestSupport.until {
            try await sound.pactl("list", "sink-inputs").contains("Mute: yes")
        }
        ducking?.end()
        try await TestSupport.until { access("\(state.directory)/ducking.json", F_OK) != 0 }
        #expect(try await sound.pactl("list", "sink-inputs").contains("Mute: no"))
        music.kill()
        server.close()
        sound.stop()
    }

    @Test(arguments: ["[", "{}", #"{"changes": [{"program": 1}]}"#])
    @EventLoop func `a file that cannot be used is logged, and the core starts`(text: String) async throws {
        let fixture = try await start(.pulseAudio, "lower")
        try fixture.core.writeState(text, to: "ducking.json")
        try await fixture.core.crashAndRestart(until: { $0.contains("ducking.json cannot be used") })
    }
}
