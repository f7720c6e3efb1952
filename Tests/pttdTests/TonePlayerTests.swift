import EventLoop
import Journal
import Logging
import PTTCore
import PTTMessages
import PulseAudio
import TestSupport
import Testing

@testable import pttd

/// Tones at the speaker of real servers, and what a microphone that hears the speaker captures of them.
@Suite(.serialized, .timeLimit(.minutes(3))) struct TonePlayerTests {
    init() { withRunningLoop() }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `each tone is heard as it is, one after the other, on one stream`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        let streams = try await fixture.sinkInputs()
        #expect(streams.count == 1)
        for tone in [Tone.talkPermit, .end, .denied, .talkPermit] {
            fixture.forget()
            fixture.player.play(tone)
            let heard = try await fixture.heard(ToneSignal(tone).samples.count)
            // The sink may begin between two samples of ours, and convert.
            #expect(likeness(heard, ToneSignal(tone).samples) > 0.9, "\(tone)")
        }
        #expect(try await fixture.sinkInputs() == streams)
        fixture.close()
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `a microphone that hears the speaker delivers nothing of the talk permit tone`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        for _ in 0..<3 {
            let (delivered, waited) = try await fixture.transmit(.seconds(1))
            #expect(delivered.allSatisfy { $0 == 0 })
            #expect(waited > .milliseconds(80) && waited < .seconds(1), "\(waited)")
            // It was played, and captured.
            _ = try await fixture.heard(ToneSignal(.talkPermit).samples.count)
            fixture.forget()
        }
        fixture.close()
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `without the gate the microphone delivers the tone, and waits for nothing`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await ToneFixture.start(program, gate: "off")
        let (delivered, waited) = try await fixture.transmit(.seconds(1))
        #expect(delivered.contains { abs($0) > 1000 })
        #expect(waited < .milliseconds(20))
        fixture.close()
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `no microphone hears a headset: nothing waits for the tone`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await ToneFixture.start(program, sink: "device.form_factor=headset")
        let (delivered, waited) = try await fixture.transmit(.milliseconds(500))
        #expect(waited < .milliseconds(80), "\(waited)")
        #expect(!delivered.isEmpty)
        fixture.close()
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `the tone before the time limit is silence in the transmission`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        var (delivered, ended) = ([Int16](), MonotonicInstant?.none)
        let finished = AsyncQueue(of: Void.self)
        fixture.microphone.open(
            .standard,
            started: {
                fixture.microphone.silence(until: .now + .seconds(2))
                fixture.player.play(.timeLimitNear, capturedBy: fixture.microphone) {
                    fixture.microphone.silence(until: $0)
                    ended = $0
                }
            },
            frame: { _, samples in
                delivered += samples.bindMemory(to: Int16.self)
                if let ended, .now > ended + .milliseconds(500) { finished.add(()) }
            },
            failed: { Issue.record("it failed: \($0)") }
        )
        try await finished.next()
        #expect(delivered.allSatisfy { $0 == 0 })
        _ = try await fixture.heard(ToneSignal(.timeLimitNear).samples.count)
        fixture.close()
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `tones are played again after a loss of the server`(program: PrivateAudioServer.Program)
        async throws
    {
        let fixture = try await ToneFixture.start(program)
        fixture.sound.kill()
        try await fixture.lost.next()
        // Without a server the gate is open at once.
        var isOpen = false
        fixture.player.play(.talkPermit, capturedBy: fixture.microphone) { _ in isOpen = true }
        #expect(isOpen)
        try await fixture.sound.restart()
        try await fixture.isReady()
        fixture.player.play(.end)
        let heard = try await fixture.heard(ToneSignal(.end).samples.count)
        #expect(likeness(heard, ToneSignal(.end).samples) > 0.9)
        fixture.close()
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `a speaker that is removed while a tone plays does not hold up the transmission`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await ToneFixture.start(program, sink: "device.description=second")
        let opened = AsyncQueue(of: MonotonicInstant.self)
        let began = MonotonicInstant.now
        fixture.microphone.open(
            .standard,
            started: {
                fixture.player.play(.talkPermit, capturedBy: fixture.microphone) { opened.add($0) }
                fixture.removeSink()
            },
            frame: { _, _ in },
            failed: { _ in }
        )
        #expect(try await opened.next() - began < .seconds(2.5))
        fixture.player.play(.end)
        // The server has moved the stream, or it is opened again.
        try await fixture.untilSinkInputs(1)
        fixture.close()
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `a server that stops answering holds up a transmission for two seconds at most`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        let opened = AsyncQueue(of: MonotonicInstant.self)
        fixture.sound.freeze()
        let began = MonotonicInstant.now
        fixture.player.play(.talkPermit, capturedBy: fixture.microphone) { opened.add($0) }
        #expect(try await opened.next() - began < .seconds(2))
        fixture.close()
    }

    @Test(arguments: PrivateAudioServer.Program.allCases)
    @EventLoop func `the stream is open while a tone may be needed, and otherwise for one tone`(
        program: PrivateAudioServer.Program
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        fixture.player.isChannelJoined = false
        try await fixture.untilSinkInputs(0)
        fixture.player.play(.denied)
        let heard = try await fixture.heard(ToneSignal(.denied).samples.count)
        #expect(likeness(heard, ToneSignal(.denied).samples) > 0.9)
        try await fixture.untilSinkInputs(0)
        fixture.player.hasVirtualMicrophone = true
        try await fixture.untilSinkInputs(1)
        fixture.close()
    }
}

/// How much of `heard` is the same as `expected`, wherever it begins: 1 if all.
private func likeness(_ heard: [Int16], _ expected: [Int16]) -> Double {
    func energy(_ samples: [Int16]) -> Double { samples.reduce(0) { $0 + Double($1) * Double($1) } }
    let norm = (energy(heard) * energy(expected)).squareRoot()
    return (-500...500).map { shift in
        let range = max(0, -shift)..<max(max(0, -shift), min(expected.count, heard.count - shift))
        let product = range.reduce(0) { $0 + Int(expected[$1]) * Int(heard[$1 + shift]) }
        return Double(product) / norm
    }.max() ?? 0
}

/// A server, the player, a microphone that hears the speaker, and a listener at the speaker.
@EventLoop
private final class ToneFixture {
    nonisolated static let audible: Int16 = 300

    let sound: PrivateAudioServer
    let player: TonePlayer
    let microphone: Microphone
    let lost = AsyncQueue(of: Void.self)
    private let audio: AudioServer
    private let ready = AsyncQueue(of: Void.self)
    private let arrived = AsyncQueue(of: Void.self)
    private var recorded: [Int16] = []
    private var listener: CaptureStream?
    private var sink: String?

    /// Skips the test where the server cannot run. `sink` has properties of another default sink.
    static func start(
        _ program: PrivateAudioServer.Program,
        gate: String = "auto",
        sink: String? = nil
    ) async throws -> ToneFixture {
        let sound: PrivateAudioServer
        do {
            sound = try await .start(program)
        } catch let error as PrivateAudioServer.NotUsable {
            print("skipped: \(program) cannot run here: \(error)")
            try Test.cancel("\(program) cannot run here: \(error)")
        }
        let fixture = ToneFixture(sound, gate: gate, speaker: sink == nil ? "speaker" : "second")
        if let sink {
            fixture.sink = try await sound.pactl(
                "load-module",
                "module-null-sink",
                "sink_name=second",
                "sink_properties=\(sink)"
            )
            try await sound.pactl("set-default-sink", "second")
        }
        fixture.audio.connect()
        try await fixture.isReady()
        return fixture
    }

    private init(_ sound: PrivateAudioServer, gate: String, speaker: String) {
        self.sound = sound
        audio = AudioServer(applicationName: "TonePlayerTests", address: sound.address)
        let log = RateLimitedLog(Logger(label: "TonePlayerTests"))
        let sounds = ToneSounds(Configuration.Tones(gate: gate)) { Issue.record("\($0)") }
        player = TonePlayer(server: audio, sounds: sounds, log: log)
        microphone = Microphone(server: audio, preferences: ["\(speaker).monitor"], log: log)
        self.speaker = speaker
        player.isChannelJoined = true
        audio.stateChanged = { [player, ready, lost] state in
            player.serverChanged()
            switch state {
            case .ready: ready.add(())
            case .lost: lost.add(())
            case .closed, .connecting: break
            }
        }
    }

    private let speaker: String

    /// Waits until the stream for tones and the listener are open.
    func isReady() async throws {
        try await ready.next()
        let started = AsyncQueue(of: Void.self)
        listener = try CaptureStream(
            on: audio,
            StreamRequest(name: "listener", role: nil, device: "\(speaker).monitor"),
            events: { if $0 == .started { started.add(()) } },
            fragments: { [weak self] bytes, _ in
                self?.recorded += bytes.bindMemory(to: Int16.self)
                self?.arrived.add(())
            }
        )
        try await started.next()
        try await untilSinkInputs(1)
    }

    func close() {
        listener?.close()
        microphone.close()
        audio.close()
        sound.stop()
    }

    func removeSink() {
        guard let sink else { return }
        Task { @EventLoop in try await sound.pactl("unload-module", sink) }
    }

    func sinkInputs() async throws -> [Substring] {
        try await sound.pactl("list", "short", "sink-inputs").split(separator: "\n")
            .map { $0.prefix { $0 != "\t" } }
    }

    func untilSinkInputs(_ count: Int) async throws {
        let end = MonotonicInstant.now + .seconds(5)
        while try await sinkInputs().count != count {
            guard .now < end else {
                Issue.record("expected \(count) playbacks")
                return
            }
            // pactl's output changes without an event.
            await pause(.milliseconds(20))
        }
    }

    /// `count` samples at the speaker, from the first loud one.
    func heard(_ count: Int) async throws -> [Int16] {
        while true {
            let heard = recorded.drop { abs($0) < Self.audible }
            if heard.count >= count { return Array(heard.prefix(count)) }
            try await arrived.next()
        }
    }

    /// What was heard so far does not count.
    func forget() { recorded = [] }

    /// Transmits as the core does: delivers what is captured after the talk permit tone.
    ///
    /// - Returns: What was delivered in `duration`, and how long the gate was closed.
    func transmit(_ duration: Duration) async throws -> ([Int16], waited: Duration) {
        let finished = AsyncQueue(of: Duration.self)
        var delivered: [Int16] = []
        var (began, waited) = (MonotonicInstant.now, Duration?.none)
        microphone.open(
            .standard,
            started: { [player, microphone] in
                began = .now
                microphone.discard(before: .now + .seconds(2))
                player.play(.talkPermit, capturedBy: microphone) {
                    microphone.discard(before: $0)
                    waited = MonotonicInstant.now - began
                }
            },
            frame: { _, samples in
                delivered += samples.bindMemory(to: Int16.self)
                if let waited, .now > began + waited + duration { finished.add(waited) }
            },
            failed: { Issue.record("it failed: \($0)") }
        )
        let result = try await finished.next(within: .seconds(10))
        microphone.close()
        return (delivered, result)
    }
}
