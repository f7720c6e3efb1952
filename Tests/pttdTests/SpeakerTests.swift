import EventLoop
import Glibc
import Journal
import Logging
import PTTMessages
import PulseAudio
import TestSupport
import Testing

@testable import pttd

/// How a writer is held up, and let go on, by the speaker.
@Suite(.serialized) struct SpeakerTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `who wrote too much before the speaker was open is let go on when it is`()
        async throws
    {
        let fixture = try await SpeakerFixture.start()
        let opened = AsyncQueue(of: Void.self)
        fixture.speaker.open(
            .standard,
            started: { opened.add(()) },
            failed: { Issue.record("it failed: \($1)") }
        )
        #expect(fixture.fill())
        fixture.forgetRoom()
        try await opened.next()
        try await fixture.room.next()
        // So much was asked for that it takes many more packets until it has enough again.
        #expect(fixture.play())
        fixture.close()
    }

    @Test @EventLoop func `who is held up is let go on as the speaker plays`() async throws {
        let fixture = try await SpeakerFixture.start()
        let opened = AsyncQueue(of: Void.self)
        fixture.speaker.open(
            .standard,
            started: { opened.add(()) },
            failed: { Issue.record("it failed: \($1)") }
        )
        try await opened.next()
        for _ in 0..<3 {
            #expect(fixture.fill())
            fixture.forgetRoom()
            try await fixture.room.next()
        }
        fixture.close()
    }

    @Test @EventLoop func `who is held up when the speaker closes is let go on, and dropped`() async throws {
        let fixture = try await SpeakerFixture.start()
        fixture.speaker.open(.standard, started: {}, failed: { _, _ in })
        #expect(fixture.fill())
        fixture.forgetRoom()
        fixture.speaker.close()
        try await fixture.room.next()
        #expect(!fixture.fill())
        fixture.close()
    }

    @Test @EventLoop func `a sound server that goes away ends the playback once and lets the writer go on`()
        async throws
    {
        let fixture = try await SpeakerFixture.start()
        let opened = AsyncQueue(of: Void.self)
        let failed = AsyncQueue(of: Interruption.self)
        fixture.speaker.open(.standard, started: { opened.add(()) }, failed: { what, _ in failed.add(what) })
        try await opened.next()
        #expect(fixture.fill())
        fixture.forgetRoom()
        fixture.sound.kill()
        #expect(try await failed.next() == .audioServerLost)
        try await fixture.room.next()
        #expect(!fixture.fill())
        fixture.close()
    }

    @Test @EventLoop func `without a sound server the opening fails at once`() async throws {
        let fixture = try await SpeakerFixture.start()
        fixture.server.close()
        var failures = 0
        fixture.speaker.open(.standard, started: {}, failed: { _, _ in failures += 1 })
        #expect(failures == 1)
        #expect(fixture.play())
    }

    @Test @EventLoop func `without a speaker the opening fails and says why`() async throws {
        let fixture = try await SpeakerFixture.start()
        try await fixture.sound.pactl("unload-module", "module-null-sink")
        let failed = AsyncQueue(of: String.self)
        fixture.speaker.open(
            .standard,
            started: { Issue.record("there is none") },
            failed: { what, reason in failed.add("\(what): \(reason)") }
        )
        let told = try await failed.next()
        #expect(told.hasPrefix("speakerLost: could not play to the default device: No such entity"))
        fixture.close()
    }

    @Test @EventLoop func `a sound server that answers nothing is told as well, after five seconds`()
        async throws
    {
        let fixture = try await SpeakerFixture.start()
        fixture.sound.freeze()
        let failed = AsyncQueue(of: String.self)
        fixture.speaker.open(
            .standard,
            started: { Issue.record("nobody answers") },
            failed: { _, reason in failed.add(reason) }
        )
        #expect(try await failed.next().contains("did not open the stream"))
        fixture.close()
    }
}

@EventLoop
private final class SpeakerFixture {
    let sound: PrivateAudioServer
    let server: AudioServer
    let speaker: Speaker
    /// There is room again.
    private(set) var room = AsyncQueue(of: Void.self)

    static func start() async throws -> SpeakerFixture {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let fixture = SpeakerFixture(sound)
        let ready = AsyncQueue(of: Void.self)
        fixture.server.stateChanged = { if case .ready = $0 { ready.add(()) } }
        fixture.server.connect()
        try await ready.next()
        return fixture
    }

    private init(_ sound: PrivateAudioServer) {
        self.sound = sound
        server = AudioServer(applicationName: "SpeakerTests", address: sound.address)
        speaker = Speaker(server: server, log: RateLimitedLog(Logger(label: "SpeakerTests")))
        speaker.roomAvailable = { [weak self] in self?.room.add(()) }
    }

    /// What was told before does not count.
    func forgetRoom() { room = AsyncQueue(of: Void.self) }

    /// Plays 20 ms of silence.
    func play() -> Bool {
        let packet = [UInt8](repeating: 0, count: AudioFormat.standard.bytesPerPacket)
        return packet.withUnsafeBytes { speaker.play($0) }
    }

    /// Plays until it has enough, five seconds at most.
    ///
    /// - Returns: Whether it had enough.
    func fill() -> Bool {
        for _ in 0..<250 where !play() { return true }
        return false
    }

    func close() {
        speaker.close()
        server.close()
        sound.stop()
    }
}
