import CoreConfiguration
import EventLoop
import Journal
import Logging
import PTTCore
import PTTMessages
import PulseAudio
import TOML
import TestSupport
import Testing

@testable import pttd

/// A server, the player, a microphone that hears the speaker, and a listener at the speaker.
@EventLoop
final class ToneFixture {
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
        _ program: SoundServerProgram,
        gate: String = "auto",
        sink: String? = nil
    ) async throws -> ToneFixture {
        let sound = try await PrivateAudioServer.startOrSkip(program)
        let fixture = try ToneFixture(sound, gate: gate, speaker: sink == nil ? "speaker" : "second")
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

    private init(_ sound: PrivateAudioServer, gate: String, speaker: String) throws {
        self.sound = sound
        audio = AudioServer(applicationName: "TonePlayerTests", address: sound.address)
        let log = RateLimitedLog(Logger(label: "TonePlayerTests"))
        let tones = try TOML.decode(Configuration.Tones.self, from: "gate = \"\(gate)\"")
        let sounds = ToneSounds(tones) { Issue.record("\($0)") }
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

    /// Waits for an answer of the server on the player's connection.
    func untilAnswered() async throws {
        let answered = AsyncQueue(of: Void.self)
        audio.list([.sink]) { _ in answered.add(()) }
        try await answered.next()
    }

    func untilSinkInputs(_ count: Int) async throws {
        try await until { try await sinkInputs().count == count }
    }

    /// `count` samples at the speaker, from the first loud one.
    func heard(_ count: Int) async throws -> [Int16] {
        let deadline = Deadline()
        while true {
            try deadline.check()
            let heard = recorded.drop { abs($0) < Self.audible }
            if heard.count >= count { return Array(heard.prefix(count)) }
            try await arrived.next()
        }
    }

    /// Drops the sound that was heard so far.
    func forget() { recorded = [] }

    /// Transmits as the core does: delivers what is captured after the talk permit tone.
    ///
    /// - Parameters:
    ///   - duration: Of what is delivered.
    ///   - before: A tone that is played just before.
    ///   - delay: From the order to play the talk permit tone until `middle`; the default is in its midst.
    ///   - middle: Called once.
    /// - Returns: The samples delivered in `duration`, and the time for which the gate was closed.
    /// - Throws: If nothing is delivered for so long within ten seconds.
    func transmit(
        _ duration: Duration,
        rightAfter before: Tone? = nil,
        after delay: Duration = .milliseconds(50),
        _ middle: @escaping @EventLoop () -> Void = {}
    ) async throws -> ([Int16], waited: Duration) {
        let finished = AsyncQueue(of: Duration.self)
        var delivered: [Int16] = []
        var (began, waited) = (MonotonicInstant.now, Duration?.none)
        let fault = TimerSource { middle() }
        microphone.open(
            .standard,
            started: { [player, microphone] in
                began = .now
                microphone.discard(before: .now + .seconds(2))
                if let before { player.play(before) }
                player.play(.talkPermit, capturedBy: microphone) {
                    microphone.discard(before: $0)
                    waited = MonotonicInstant.now - began
                }
                fault.arm(after: delay)
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
