import CoreConfiguration
import EventLoop
import TestSupport

@testable import PulseAudio
@testable import pttd

/// A sound server that remembers a volume for each program, and a core with ``DuckedStreams`` and its file.
/// Programs, a person, the microphone and crashes change it at random.
struct SimulatedPlayback {
    private struct Stream {
        let program: String
        var volume: UInt32
        var isMuted = false
        /// Its volume without the core.
        var wanted: UInt32
    }

    private static let volumes: [UInt32] = [20_000, 40_000, 65_536]

    private let mode: DuckingMode
    private var core: DuckedStreams
    private var streams: [UInt32: Stream] = [:]
    private var memory: [String: (volume: UInt32, isMuted: Bool)] = [:]
    private var wanted: [String: UInt32] = [:]
    private var latest: UInt32 = 0
    private var file: [DuckedStreams.Change] = []
    /// Ordered, and not yet on disk.
    private var unwritten: [DuckedStreams.Change]?
    private var isOutdated = false
    private var now = MonotonicInstant(nanoseconds: 0)
    private(set) var duckings = 0
    private var log: [String] = []

    init(_ mode: DuckingMode) {
        self.mode = mode
        core = DuckedStreams(mode)
    }

    /// - Returns: The fault once the microphone is closed and all that was ordered has happened; nil if none.
    mutating func run(_ steps: Int, _ random: inout SplitMix) -> String? {
        for _ in 0..<steps { step(&random) }
        handle(.microphoneClosed)
        settle()
        // Each program plays once more, as the server has its volume of before.
        for program in ["a", "b", "c"] where !streams.values.contains(where: { $0.program == program }) {
            start(program, &random)
        }
        settle()
        now = now + DuckedStreams.restoration
        handle(.timerFired)
        settle()
        let wrong = streams.values.filter { $0.volume != $0.wanted || $0.isMuted }
        if wrong.isEmpty, file.isEmpty, !core.isActive { return nil }
        return "\(wrong), \(file):\n\(log.joined(separator: "\n"))"
    }

    private mutating func step(_ random: inout SplitMix) {
        let index = streams.keys.sorted().randomElement(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: handle(.microphoneOpened)
        case 2: handle(.microphoneClosed)
        case 3, 4: start(["a", "b", "c"].randomElement(using: &random) ?? "a", &random)
        case 5: if let index { end(index) }
        case 6: if let index { change(index, Self.volumes.randomElement(using: &random) ?? 20_000) }
        case 7: crash()
        case 8: loseServer()
        case 9: write()
        default: list()
        }
    }

    private mutating func start(_ program: String, _ random: inout SplitMix) {
        guard streams.values.filter({ $0.program == program }).count < 2 else { return }
        latest += 1
        let (volume, isMuted) = memory[program] ?? (65_536, false)
        // PipeWire restores the volume some time after the stream has appeared.
        streams[latest] = Stream(program: program, volume: 65_536, wanted: wanted[program] ?? 65_536)
        if Bool.random(using: &random) { list(always: true) }
        streams[latest]?.volume = volume
        streams[latest]?.isMuted = isMuted
        isOutdated = true
        if Bool.random(using: &random) { list() }
        log.append("\(program) plays as \(latest) at \(volume) \(isMuted)")
    }

    private mutating func end(_ index: UInt32) {
        streams[index] = nil
        isOutdated = true
        log.append("\(index) ends")
    }

    /// A person changes a volume, which the core is told before anything else happens. Two streams of one
    /// program would differ in what the server remembers, also without the core.
    private mutating func change(_ index: UInt32, _ volume: UInt32) {
        settle()
        guard let stream = streams[index], stream.volume != volume,
            streams.values.filter({ $0.program == stream.program }).count == 1
        else { return }
        log.append("a person sets \(index) to \(volume)")
        streams[index]?.volume = volume
        streams[index]?.wanted = volume
        memory[stream.program] = (volume, stream.isMuted)
        wanted[stream.program] = volume
        isOutdated = true
        settle()
    }

    private mutating func crash() {
        log.append("crash with \(file)")
        unwritten = nil
        core = DuckedStreams(mode, undone: file)
        list(always: true)
    }

    private mutating func loseServer() {
        log.append("the server is lost")
        streams = [:]
        handle(.serverLost)
        // The transmission ends with it.
        handle(.microphoneClosed)
        list(always: true)
    }

    private mutating func write() {
        guard let changes = unwritten else { return }
        file = changes
        unwritten = nil
        handle(.saved(true))
    }

    private mutating func list(always: Bool = false) {
        guard isOutdated || always else { return }
        isOutdated = false
        var devices = AudioDevices()
        devices.sinkInputs = streams.sorted { $0.key < $1.key }.map { index, stream in
            AudioStream(
                index: index,
                device: 0,
                client: 1,
                isMuted: stream.isMuted,
                volumes: [stream.volume],
                restoreID: stream.program
            )
        }
        handle(.listed(devices))
    }

    /// Everything that is on its way arrives.
    private mutating func settle() {
        for _ in 0..<10 {
            list(always: true)
            write()
        }
    }

    private mutating func handle(_ event: DuckedStreams.Event) {
        let effects = core.handle(event, at: now)
        if case .listed = event {} else { log.append("\(event)") }
        // The core lists when the microphone opens.
        if case .microphoneOpened = event { isOutdated = true }
        for effect in effects { perform(effect) }
    }

    private mutating func perform(_ effect: DuckedStreams.Effect) {
        log.append("  \(effect)")
        switch effect {
        case .save(let changes): unwritten = changes
        case .setVolumes(let volumes, let input):
            streams[input]?.volume = volumes[0]
            remember(input)
        case .setMuted(let isMuted, let input):
            streams[input]?.isMuted = isMuted
            remember(input)
        case .list: isOutdated = true
        case .setTimer: break
        }
    }

    private mutating func remember(_ input: UInt32) {
        guard let stream = streams[input] else { return }
        if stream.volume != stream.wanted || stream.isMuted {
            duckings += 1
            precondition(file.contains { $0.program == stream.program }, "changed before it is written down")
        }
        memory[stream.program] = (stream.volume, stream.isMuted)
        isOutdated = true
    }
}
