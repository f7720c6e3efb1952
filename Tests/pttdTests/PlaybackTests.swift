import EventLoop
import Foundation
import Glibc
import PTTMessages
import PulseAudio
import TestSupport
import Testing

/// The samples of an application, from its audio socket to the speaker of a real sound server.
@Suite(.serialized) struct PlaybackTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `what the application writes is heard while a participant talks, and not before`()
        async throws
    {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        let listener = try await Listener(fixture.sound)
        // Dropped: no participant talks yet.
        for _ in 0..<20 { #expect(writer.write(880)) }
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        for _ in 0..<25 { try await writer.writeWhenPossible(660) }
        let heard = try await listener.heard(19_200)
        #expect(abs(frequency(heard) - 660) < 5)
        try await fixture.application.setParticipant(nil)
        _ = try await fixture.watcher.events.first { $0 == .audioDeactivated }
        #expect(try await fixture.sound.pactl("list", "short", "sink-inputs").isEmpty)
    }

    @Test @EventLoop func `an application that writes faster than is played has to wait`() async throws {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        let began = MonotonicInstant.now
        for _ in 0..<200 { try await writer.writeWhenPossible(660) }
        // Four seconds of sound, less what the socket, the core and the sound server hold.
        #expect(MonotonicInstant.now - began > .seconds(1))
        #expect(try await fixture.application.calls.status().audio == .active)
    }

    @Test @EventLoop func `an application that writes without a participant does not keep the core busy`()
        async throws
    {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        let before = try processorTime(of: fixture.core.process.processID)
        let began = MonotonicInstant.now
        var count = 0
        while MonotonicInstant.now - began < .seconds(2) {
            if writer.write(660) { count += 1 } else { await pause(.milliseconds(1)) }
        }
        #expect(count < 1000)
        #expect(try processorTime(of: fixture.core.process.processID) - before < .milliseconds(200))
        #expect(try await fixture.application.calls.status().channel != nil)
    }

    @Test(arguments: [[], [UInt8](repeating: 0, count: 15), [UInt8](repeating: 0, count: 16 + 1918)])
    @EventLoop
    func
        `a packet of a wrong size ends the audio connection with a log line, and the participant is interrupted`(
            packet: [UInt8]
        ) async throws
    {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        #expect(writer.write(packet.isEmpty ? [UInt8](repeating: 0, count: 9000) : packet))
        _ = try await fixture.core.process.lines.first { $0.contains("audio socket: ") }
        try await writer.ended.next()
        _ = try await fixture.watcher.events.first { $0 == .audioInterrupted(.audioConnectionLost) }
        let status = try await fixture.application.calls.status()
        #expect(status.audio == .inactive && status.channel?.participant?.name == "Ana")
    }

    @Test @EventLoop func `a participant is heard again when the application reconnects`() async throws {
        let fixture = try await PlaybackFixture.start()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        // Dropped immediately.
        _ = try fixture.writer()
        _ = try await fixture.watcher.events.first { $0 == .audioInterrupted(.audioConnectionLost) }
        let writer = try fixture.writer()
        _ = try await fixture.watcher.events.first { $0 == .audioInterruptionEnded }
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        let listener = try await Listener(fixture.sound)
        for _ in 0..<25 { try await writer.writeWhenPossible(550) }
        #expect(abs(frequency(try await listener.heard(9_600)) - 550) < 5)
    }

    @Test @EventLoop func `the death of the application closes the speaker`() async throws {
        let fixture = try await PlaybackFixture.start()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        fixture.application.die()
        _ = try await fixture.watcher.events.first { $0 == .applicationDetached }
        #expect(try await fixture.sound.pactl("list", "short", "sink-inputs").isEmpty)
        #expect(try await fixture.core.connect().status().channel?.participant == nil)
    }

    @Test @EventLoop
    func `a participant is interrupted by the loss of the sound server, and heard again afterwards`()
        async throws
    {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        fixture.sound.kill()
        _ = try await fixture.watcher.events.first { event in
            if case .audioInterrupted = event { true } else { false }
        }
        try await fixture.sound.restart()
        _ = try await fixture.watcher.events.first(within: .seconds(20)) { $0 == .audioInterruptionEnded }
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        let listener = try await Listener(fixture.sound)
        for _ in 0..<25 { try await writer.writeWhenPossible(550) }
        #expect(abs(frequency(try await listener.heard(9_600)) - 550) < 5)
    }

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
        let end = MonotonicInstant.now + .seconds(5)
        while try await isMuted() != expected {
            guard .now < end else {
                Issue.record("the music is \(expected ? "not " : "")muted")
                return
            }
            // pactl's output changes without an event.
            await pause(.milliseconds(20))
        }
    }

    /// What the server says of the stream.
    private func description() async throws -> String {
        try await sound.pactl("list", "sink-inputs").components(separatedBy: "Sink Input #")
            .first { $0.contains("\"song\"") } ?? ""
    }
}

/// A core with an application that has joined, and a sound server.
@EventLoop
private struct PlaybackFixture {
    let sound: PrivateAudioServer
    let core: CoreFixture
    let watcher: CoreClient
    let application: AttachedApplication

    static func start() async throws -> PlaybackFixture {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        return PlaybackFixture(sound: sound, core: core, watcher: watcher, application: application)
    }

    func writer() throws -> Writer {
        try Writer(core.attachAudio(application.attachment.audioToken))
    }
}

/// The application's end of the audio socket.
@EventLoop
private final class Writer {
    let ended = AsyncQueue(of: Void.self)
    private let room = AsyncQueue(of: Void.self)
    private let descriptor: Int32
    private var source: DescriptorSource?
    private var phase = 0

    init(_ descriptor: consuming OwnedDescriptor) throws {
        self.descriptor = descriptor.release()
        source = try DescriptorSource(self.descriptor, .readable) { [weak self] _ in self?.ready() }
    }

    isolated deinit {
        source?.cancel()
        close(descriptor)
    }

    private func ready() {
        var byte: UInt8 = 0
        if recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0 {
            ended.add(())
            source?.interest = []
        } else {
            source?.interest = .readable
            room.add(())
        }
    }

    /// - Returns: Whether there was room.
    func write(_ packet: [UInt8]) -> Bool {
        send(descriptor, packet, packet.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) == packet.count
    }

    /// The next 20 ms of a tone.
    func write(_ pitch: Double) -> Bool {
        let samples = (phase..<phase + 960).map { index in
            Int16(10_000 * sin(Double(index) * pitch * 2 * .pi / 48_000))
        }
        let header = AudioPacketHeader(sequence: 0, timestamp: MonotonicTime(nanoseconds: 0)).bytes
        guard
            write(
                header
                    + samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            )
        else { return false }
        phase += 960
        return true
    }

    func writeWhenPossible(_ pitch: Double) async throws {
        while !write(pitch) {
            source?.interest = [.readable, .writable]
            try await room.next()
        }
    }
}

/// The sound at the speaker.
@EventLoop
private final class Listener {
    private let audio: AudioServer
    private let samples = AsyncQueue(of: [Int16].self)
    private var stream: CaptureStream?

    init(_ sound: PrivateAudioServer) async throws {
        audio = AudioServer(applicationName: "PlaybackTests", address: sound.address)
        let ready = AsyncQueue(of: Void.self)
        audio.stateChanged = { if case .ready = $0 { ready.add(()) } }
        audio.connect()
        try await ready.next()
        let started = AsyncQueue(of: Void.self)
        let request = StreamRequest(name: "listener", role: nil, device: "speaker.monitor")
        stream = try CaptureStream(on: audio, request) { event in
            if event == .started { started.add(()) }
        } fragments: { [samples] bytes, _ in
            samples.add(bytes.withMemoryRebound(to: Int16.self) { Array($0) })
        }
        try await started.next()
    }

    isolated deinit { audio.close() }

    /// `count` samples from the first loud one.
    func heard(_ count: Int) async throws -> [Int16] {
        var heard: [Int16] = []
        while heard.count < count {
            let next = try await samples.next()
            heard += heard.isEmpty ? Array(next.drop { abs($0) < 1000 }) : next
        }
        return Array(heard.prefix(count))
    }
}

/// The pitch by upward zero crossings: the median over spans of eight of them, because a busy machine loses samples.
private func frequency(_ samples: [Int16]) -> Double {
    let crossings = zip(samples, samples.dropFirst()).enumerated()
        .filter { $0.element.0 < 0 && $0.element.1 >= 0 }.map(\.offset)
    let spans = zip(crossings, crossings.dropFirst(8)).map { $1 - $0 }.sorted()
    guard !spans.isEmpty else { return 0 }
    return 8 * 48_000 / Double(spans[spans.count / 2])
}

/// User and system time together, from proc_pid_stat(5).
private func processorTime(of processID: Int32) throws -> Duration {
    let text = try String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = [11, 12].compactMap { Int(fields[$0]) }.reduce(0, +)
    return .milliseconds(ticks * 1000 / sysconf(Int32(_SC_CLK_TCK)))
}
