import EventLoop
import Glibc
import Journal
import Logging
import PTTMessages
import PulseAudio
import TestSupport
import Testing

@testable import pttd

/// How the speaker holds up a writer, and lets it continue.
@Suite(.serialized) struct SpeakerTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a writer that was held up before the speaker was open continues when it is`()
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
        // The server has requested so much that it needs many more packets.
        #expect(fixture.play())
        fixture.close()
    }

    @Test @EventLoop func `a writer that is held up continues as the speaker plays`() async throws {
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

    @Test @EventLoop
    func `a writer that is held up when the speaker closes continues, and its samples are dropped`()
        async throws
    {
        let fixture = try await SpeakerFixture.start()
        fixture.speaker.open(.standard, started: {}, failed: { _, _ in })
        #expect(fixture.fill())
        fixture.forgetRoom()
        fixture.speaker.close()
        try await fixture.room.next()
        #expect(!fixture.fill())
        fixture.close()
    }

    @Test @EventLoop func `a sound server that ends also ends the playback, once, and the writer continues`()
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

    @Test @EventLoop func `without a sound server opening the speaker fails immediately`() async throws {
        let fixture = try await SpeakerFixture.start()
        fixture.server.close()
        var failures = 0
        fixture.speaker.open(.standard, started: {}, failed: { _, _ in failures += 1 })
        #expect(failures == 1)
        #expect(fixture.play())
    }

    @Test @EventLoop func `without a speaker opening it fails with the reason`() async throws {
        let fixture = try await SpeakerFixture.start()
        try await fixture.sound.pactl("unload-module", "module-null-sink")
        let failed = AsyncQueue(of: String.self)
        fixture.speaker.open(
            .standard,
            started: { Issue.record("there is no speaker") },
            failed: { what, reason in failed.add("\(what): \(reason)") }
        )
        let failure = try await failed.next()
        #expect(failure.hasPrefix("speakerLost: could not play to the default device: No such entity"))
        fixture.close()
    }

    @Test(arguments: [false, true])
    @EventLoop func `a new speaker is reported after the server has ended a stream with the only one`(
        isThereBeforeTheLossIsNoticed: Bool
    ) async throws {
        let fixture = try await SpeakerFixture.start()
        let (opened, returned) = (AsyncQueue(of: Void.self), AsyncQueue(of: Void.self))
        let failed = AsyncQueue(of: String.self)
        fixture.speaker.returned = { returned.add(()) }
        fixture.speaker.open(
            .standard,
            started: { opened.add(()) },
            failed: { what, reason in failed.add("\(what): \(reason)") }
        )
        try await opened.next()
        if isThereBeforeTheLossIsNoticed {
            fixture.block("unload-module module-null-sink", "load-module module-null-sink sink_name=new")
        } else {
            try await fixture.sound.pactl("unload-module", "module-null-sink")
        }
        #expect(try await failed.next().hasSuffix("(the device was removed)"))
        if !isThereBeforeTheLossIsNoticed {
            try await fixture.sound.pactl("load-module", "module-null-sink", "sink_name=new")
        }
        try await returned.next()
        fixture.close()
    }

    @Test @EventLoop
    func `a speaker that is there whenever it is looked for, and never opens, is reported later each time`()
        async throws
    {
        let fixture = try await SpeakerFixture.start()
        let (failed, returned) = (AsyncQueue(of: Void.self), AsyncQueue(of: MonotonicInstant.self))
        fixture.speaker.returned = { returned.add(.now) }
        var reports: [MonotonicInstant] = []
        for _ in 0..<4 {
            fixture.block("unload-module module-null-sink")
            fixture.speaker.open(
                .standard,
                started: { Issue.record("there is no speaker") },
                failed: { _, _ in
                    fixture.block("load-module module-null-sink sink_name=speaker")
                    failed.add(())
                }
            )
            try await failed.next()
            reports.append(try await returned.next())
        }
        // After half a second, one and two; delays that do not grow would be half a second each.
        #expect(reports[3] - reports[0] > .seconds(3))
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the feed of the virtual microphone is no speaker, also if the server chooses it`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await SpeakerFixture.start(program)
        let feed = VirtualMicrophoneDevice.feedName
        let (opened, failed) = (AsyncQueue(of: Void.self), AsyncQueue(of: String.self))
        var (count, isLost) = (0, false)
        func open() {
            fixture.speaker.open(
                .standard,
                started: {
                    count += 1
                    opened.add(())
                },
                failed: { what, reason in
                    isLost = true
                    failed.add("\(what): \(reason)")
                }
            )
        }
        try await fixture.sound.pactl("load-module", "module-null-sink", "sink_name=\(feed)")
        // WirePlumber ignores a move to a sink that it does not know yet. What it makes the default it knows.
        try await fixture.setDefaultSink(feed)
        try await fixture.setDefaultSink("speaker")
        open()
        try await opened.next()
        let stream = try await fixture.sound.pactl("list", "short", "sink-inputs").prefix { $0 != "\t" }
        // On a busy machine it ignores a move to that one as well.
        try await until {
            // The stream is gone once a move has been followed.
            _ = try? await fixture.sound.pactl("move-sink-input", String(stream), feed)
            return isLost
        }
        let expected = "speakerLost: could not play to the default device: there is no speaker"
        #expect(try await failed.next() == expected)
        try await fixture.setDefaultSink(feed)
        open()
        #expect(try await failed.next() == expected)
        #expect(count == 1)
        fixture.close()
    }

    @Test @EventLoop func `a sound server that does not reply is a failure after five seconds`()
        async throws
    {
        let fixture = try await SpeakerFixture.start()
        fixture.sound.freeze()
        let failed = AsyncQueue(of: String.self)
        fixture.speaker.open(
            .standard,
            started: { Issue.record("the server does not reply") },
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
    /// Receives an element when there is room again.
    private(set) var room = AsyncQueue(of: Void.self)

    static func start(_ program: SoundServerProgram = .pulseAudio) async throws -> SpeakerFixture {
        let sound = try await PrivateAudioServer.start(program)
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

    /// Returns once the server has made it the default.
    func setDefaultSink(_ name: String) async throws {
        try await sound.pactl("set-default-sink", name)
        try await until { try await sound.pactl("get-default-sink") == name }
    }

    /// Runs commands of `pactl`, and blocks the loop, which receives nothing from the server before the last.
    func block(_ commands: String...) {
        let script = commands.map { "pactl \($0) >/dev/null" }.joined(separator: " && ")
        #expect(system("PULSE_SERVER=\(sound.address) timeout 10 sh -c '\(script)'") == 0)
    }

    /// Earlier elements do not count.
    func forgetRoom() { room = AsyncQueue(of: Void.self) }

    /// Plays 20 ms of silence.
    func play() -> Bool {
        let packet = [UInt8](repeating: 0, count: AudioFormat.standard.bytesPerPacket)
        return packet.withUnsafeBytes { speaker.play($0) }
    }

    /// Plays until the speaker has enough, five seconds at most.
    ///
    /// - Returns: True if the speaker had enough.
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
