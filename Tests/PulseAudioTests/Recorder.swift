import EventLoop
import Foundation
import TestSupport
import Testing

@testable import PulseAudio

/// Collects events, and lets a test wait for a condition on them.
@EventLoop
final class Recorder<Element: Sendable> {
    private(set) var all: [Element] = []
    private var waiting: [(isMet: ([Element]) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = []

    func add(_ element: Element) {
        all.append(element)
        let pending = waiting
        waiting = []
        for wait in pending {
            if wait.isMet(all) { wait.continuation.resume(returning: true) } else { waiting.append(wait) }
        }
    }

    /// Waits until the events meet the condition.
    ///
    /// - Throws: If they do not within `limit`, with an issue: a test that went on would wait as long at each
    ///   of its steps.
    func wait(
        _ expectation: Comment,
        within limit: Duration = awaitLimit,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ isMet: @escaping ([Element]) -> Bool
    ) async throws {
        if isMet(all) { return }
        let timer = TimerSource { [weak self] in self?.timeOut() }
        timer.arm(after: limit)
        let hasOccurred = await withCheckedContinuation { waiting.append((isMet, $0)) }
        timer.disarm()
        let seen = all.count > 30 ? "\(all.count) elements" : "\(all)"
        try #require(hasOccurred, "\(expectation); seen: \(seen)", sourceLocation: sourceLocation)
    }

    private func timeOut() {
        let pending = waiting
        waiting = []
        for wait in pending { wait.continuation.resume(returning: false) }
    }
}

extension Recorder where Element: Equatable {
    func wait(
        for element: Element,
        within limit: Duration = awaitLimit,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await wait("\(element)", within: limit, sourceLocation: sourceLocation) { $0.contains(element) }
    }
}

/// One server at a time: they compete for the processor, and descriptors are counted.
@Suite(.serialized) enum RealServers {}

/// A private server, a connection to it, and the states of the connection.
@EventLoop
struct AudioServerFixture {
    let server: PrivateAudioServer
    let audio: AudioServer
    let states: Recorder<AudioServer.State>

    /// Skips the test where the server cannot run.
    static func start(_ program: SoundServerProgram) async throws -> AudioServerFixture {
        let server: PrivateAudioServer
        do {
            server = try await .start(program)
        } catch let error as NotUsable {
            print("skipped: \(program) cannot run here: \(error)")
            try Test.cancel("\(program) cannot run here: \(error)")
        }
        let audio = AudioServer(applicationName: "PulseAudioTests", address: server.address)
        let states = Recorder<AudioServer.State>()
        audio.stateChanged = { states.add($0) }
        audio.connect()
        let fixture = AudioServerFixture(server: server, audio: audio, states: states)
        try await fixture.untilReady()
        return fixture
    }

    func untilReady() async throws {
        try await states.wait("the connection is ready") {
            if case .ready = $0.last { true } else { false }
        }
    }

    func stop() {
        audio.close()
        server.stop()
    }

    /// Waits until the server lists this number of captures.
    func untilSourceOutputs(_ count: Int, line: UInt = #line) async throws {
        try await untilListed("source-outputs", count, line)
    }

    /// Waits until the server lists this number of playbacks.
    func untilSinkInputs(_ count: Int, line: UInt = #line) async throws {
        try await untilListed("sink-inputs", count, line)
    }

    private func untilListed(_ kind: String, _ count: Int, _ line: UInt) async throws {
        try await until(line: line) {
            try await server.pactl("list", "short", kind).split(separator: "\n").count == count
        }
    }
}

extension AudioServer {
    func list(_ kinds: Set<DeviceKind>) async throws -> AudioDevices {
        let answers = AsyncQueue(of: Result<AudioDevices, AudioError>.self)
        list(kinds) { answers.add($0) }
        return try await answers.next().get()
    }

    /// All that is needed to identify the microphones.
    func devices() async throws -> AudioDevices { try await list(DeviceQuery.sources) }
}

/// A capture with all its events.
@EventLoop
final class Capture {
    enum Happening: Sendable, Equatable {
        case event(CaptureStream.Event)
        case fragment(byteCount: Int)
    }

    let happenings = Recorder<Happening>()
    private(set) var samples: [Int16] = []
    /// The number of samples that are louder than silence.
    private(set) var audibleCount = 0
    /// The number of zeros at the end.
    private(set) var zeroCount = 0
    private(set) var times: [MonotonicInstant] = []
    private(set) var stream: CaptureStream?
    private var silentCount = 0

    /// A microphone is chosen from `devices`, as if the server had just listed them.
    init(_ fixture: AudioServerFixture, device: String? = nil, choosingFrom devices: AudioDevices? = nil)
        throws
    {
        stream = try CaptureStream(
            on: fixture.audio,
            StreamRequest(name: "test", device: device),
            choosingFrom: devices,
            stallLimit: .milliseconds(500),
            events: { [weak self] in self?.happenings.add(.event($0)) },
            fragments: { [weak self] in self?.receive($0, $1) }
        )
    }

    func close() {
        stream?.close()
    }

    func drop() {
        stream = nil
    }

    var events: [CaptureStream.Event] {
        happenings.all.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    func untilStarted() async throws {
        try await happenings.wait(for: .event(.started))
    }

    func untilSamples(_ count: Int) async throws {
        try await happenings.wait("\(count) samples") { [weak self] _ in (self?.samples.count ?? 0) >= count }
    }

    /// Waits for this number of samples after the silence at the beginning.
    func untilAudible(_ count: Int) async throws {
        try await happenings.wait("\(count) audible samples") { [weak self] _ in
            (self?.audible.count ?? 0) >= count
        }
    }

    /// The samples after the silence at the beginning.
    var audible: ArraySlice<Int16> { samples[silentCount...] }

    /// Waits until the source that was reported last meets the condition.
    func untilSource(_ isMet: @escaping (SourceState) -> Bool) async throws {
        try await happenings.wait("the state of the source") { happenings in
            let states = happenings.compactMap { happening -> SourceState? in
                switch happening {
                case .event(.opened(let source)), .event(.changed(let source)): source
                case .event, .fragment: nil
                }
            }
            return states.last.map(isMet) ?? false
        }
    }

    func untilFailed(within limit: Duration = awaitLimit) async throws {
        try await happenings.wait("the capture fails", within: limit) { happenings in
            happenings.contains { if case .event(.failed) = $0 { true } else { false } }
        }
    }

    /// Looks at each sample once, since what waits for them is asked with each fragment.
    private func receive(_ bytes: UnsafeRawBufferPointer, _ time: MonotonicInstant) {
        let start = samples.count
        bytes.withMemoryRebound(to: Int16.self) { samples.append(contentsOf: $0) }
        for index in start..<samples.count where abs(Int(samples[index])) >= 1000 {
            if audibleCount == 0 { silentCount = index }
            audibleCount += 1
        }
        if audibleCount == 0 { silentCount = samples.count }
        for sample in samples[start...] { zeroCount = sample == 0 ? zeroCount + 1 : 0 }
        times.append(time)
        happenings.add(.fragment(byteCount: bytes.count))
    }
}

extension CaptureStream.Event {
    var isOpened: Bool {
        if case .opened = self { true } else { false }
    }
}

/// The pitch by upward zero crossings: the median over spans of eight of them, because a busy machine loses
/// samples.
func frequency(_ samples: some Collection<Int16>, rate: Double = 48_000) -> Double {
    let crossings = zip(samples, samples.dropFirst()).enumerated()
        .filter { $0.element.0 < 0 && $0.element.1 >= 0 }.map(\.offset)
    let spans = zip(crossings, crossings.dropFirst(8)).map { $1 - $0 }.sorted()
    guard !spans.isEmpty else { return 0 }
    return 8 * rate / Double(spans[spans.count / 2])
}

func openDescriptors() -> Int {
    // The directory itself is open while it is read, in both counts.
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
}
