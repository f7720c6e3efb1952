import EventLoop
import Foundation
import TestSupport
import Testing

@testable import PulseAudio

extension VirtualSourceDefinition {
    static let tested = VirtualSourceDefinition(
        sourceName: "ptt_mic",
        sourceDescription: "Push-to-Talk Microphone",
        feedName: "ptt_feed",
        feedDescription: "Push-to-Talk feed",
        mark: "pttd.virtual",
        removal: "tested remove"
    )
}

/// A virtual source on a connection of its own, with its states and remarks, and a writer of 440 Hz.
@EventLoop
final class VirtualSourceFixture {
    let outside: AudioServerFixture
    let audio: AudioServer
    let source: VirtualSource
    let states = Recorder<VirtualSource.State>()
    let remarks = Recorder<String>()
    private var timer: TimerSource?
    private var beginning = MonotonicInstant.now
    private var position = 0

    var server: PrivateAudioServer { outside.server }

    static func start(_ program: SoundServerProgram) async throws -> VirtualSourceFixture {
        try await start(with: .start(program))
    }

    /// Another process beside that of `outside`, or before or after it.
    static func start(with outside: AudioServerFixture) async throws -> VirtualSourceFixture {
        let fixture = VirtualSourceFixture(outside)
        fixture.source.start()
        try await fixture.untilIdle()
        return fixture
    }

    init(_ outside: AudioServerFixture) {
        self.outside = outside
        audio = AudioServer(
            applicationName: "Push to talk",
            address: outside.server.address,
            ownDeviceProperty: "pttd.virtual"
        )
        source = VirtualSource(on: audio, .tested)
        audio.stateChanged = { [source] _ in source.serverChanged() }
        source.changed = { [states] in states.add($0) }
        source.remarked = { [remarks] in remarks.add($0) }
        timer = TimerSource { [weak self] in self?.write() }
        audio.connect()
    }

    /// Ends the connection without any farewell, as the end of the process does.
    func disappear() {
        timer?.disarm()
        audio.close()
    }

    func stop() {
        disappear()
        outside.stop()
    }

    func untilIdle(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await states.wait("nothing records", sourceLocation: sourceLocation) { $0.last == .idle }
    }

    func untilRecorded(by names: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await states.wait("\(names) record", sourceLocation: sourceLocation) {
            $0.last == .recorded(by: names)
        }
    }

    /// An application that records from the source, and has begun to.
    func record() async throws -> Capture {
        let capture = try Capture(outside, device: "ptt_mic")
        try await capture.untilStarted()
        try await untilRecorded(by: ["PulseAudioTests"])
        return capture
    }

    /// Begins to feed 440 Hz, in blocks of 5 ms in real time.
    func talk() {
        source.begin()
        (beginning, position) = (.now, 0)
        write()
    }

    func endTalk() {
        timer?.disarm()
        source.end()
    }

    private func write() {
        timer?.arm(after: .milliseconds(5))
        let due = Int((MonotonicInstant.now - beginning).nanoseconds * 48 / 1_000_000)
        guard due > position else { return }
        let block = (position..<due).map { Int16(10_000 * sin(Double($0) * 440 * 2 * .pi / 48_000)) }
        position = due
        block.withUnsafeBytes { source.write($0) }
    }
}

extension Capture {
    /// The loudest of the samples that arrive from now on, after `skipping` samples.
    func loudest(ofNext count: Int, skipping: Int = 0) async throws -> Int16 {
        let start = samples.count + skipping
        try await untilSamples(start + count)
        return samples[start..<start + count].map { $0.magnitude }.max().map { Int16(clamping: $0) } ?? 0
    }

    /// Waits until 200 ms of exact silence have arrived: what was written before may still be on its way.
    func untilSilent() async throws {
        let start = samples.count
        try await happenings.wait("exact silence") { [weak self] _ in
            guard let self else { return false }
            return min(zeroCount, samples.count - start) >= 9600
        }
    }
}
