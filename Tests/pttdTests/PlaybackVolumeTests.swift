import EventLoop
import Foundation
import PTTMessages
import PulseAudio
import TestSupport
import Testing

/// How loud the other end is heard, and what becomes of music meanwhile.
@Suite(.serialized) struct PlaybackVolumeTests {
    init() { withRunningLoop() }

    @Test @EventLoop
    func `PulseAudio quietens music while somebody is heard, and no longer, also if the core is killed`()
        async throws
    {
        let fixture = try await PlaybackFixture.start()
        try await fixture.sound.pactl("load-module", "module-role-cork")
        let music = try await Music(fixture.sound)
        #expect(try await !music.isMuted())
        for isKilled in [false, true] {
            try await fixture.application.setParticipant("Ana")
            _ = try await fixture.watcher.events.first { $0 == .audioActivated }
            try await music.until(isMuted: true)
            #expect(try await music.volume() == "100%")
            if isKilled {
                fixture.core.process.kill()
            } else {
                try await fixture.application.setParticipant(nil)
            }
            try await music.until(isMuted: false)
        }
    }

    @Test @EventLoop func `the volume applies to what is heard, now and later, and to nothing else`()
        async throws
    {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        let request = ChannelInterface.VolumeRequest(volume: 50)
        _ = try await fixture.core.connect().call(ChannelInterface.setVolume, request)
        let music = try await Music(fixture.sound, isSilent: true)
        for _ in 0..<2 {
            try await fixture.application.setParticipant("Ana")
            _ = try await fixture.watcher.events.first { $0 == .audioActivated }
            let listener = try await Listener(fixture.sound)
            for _ in 0..<25 { try await writer.writeWhenPossible(660) }
            let peak = try await listener.heard(9600).map { abs(Int($0)) }.max() ?? 0
            // An eighth of 10000, on the scale of volume controls.
            #expect((1150...1350).contains(peak))
            try await fixture.application.setParticipant(nil)
            _ = try await fixture.watcher.events.first { $0 == .audioDeactivated }
        }
        #expect(try await music.volume() == "100%")
    }
}

/// A stream of another program that plays music.
@EventLoop
private final class Music {
    private let sound: PrivateAudioServer
    private let audio: AudioServer
    private var stream: PlaybackStream?

    init(_ sound: PrivateAudioServer, isSilent: Bool = false) async throws {
        self.sound = sound
        audio = AudioServer(applicationName: "Music", address: sound.address)
        let ready = AsyncQueue(of: Void.self)
        audio.stateChanged = { if case .ready = $0 { ready.add(()) } }
        audio.connect()
        try await ready.next()
        let opened = AsyncQueue(of: Void.self)
        let stream = try PlaybackStream(on: audio, StreamRequest(name: "song", role: "music")) {
            if $0 == .opened { opened.add(()) }
        }
        let samples = [Int16](repeating: isSilent ? 0 : 100, count: 48_000)
        _ = samples.withUnsafeBytes { stream.write($0) }
        self.stream = stream
        try await opened.next()
    }

    isolated deinit { audio.close() }

    func isMuted() async throws -> Bool { try await description().contains("Mute: yes") }

    func volume() async throws -> Substring? {
        try await description().split(separator: " ").first { $0.hasSuffix("%") }
    }

    func until(isMuted expected: Bool) async throws {
        try await TestSupport.until { try await isMuted() == expected }
    }

    /// The server's entry for the stream.
    private func description() async throws -> String {
        try await sound.pactl("list", "sink-inputs").components(separatedBy: "Sink Input #")
            .first { $0.contains("\"song\"") } ?? ""
    }
}
