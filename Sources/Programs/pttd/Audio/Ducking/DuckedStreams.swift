import CoreConfiguration
import EventLoop
import PulseAudio

/// The streams that other programs play while the microphone is open: those to lower or mute, and those to
/// restore.
///
/// The servers remember a volume for the next stream of the same program. So each change is written down
/// before it is made, with the name by which the server remembers it, and is undone also by the next run
/// after a crash, and when a stream returns that has ended with our volume. A volume that was changed by
/// anybody else meanwhile stays.
struct DuckedStreams {
    /// A change as it is written down.
    struct Change: Equatable, Codable {
        /// ``AudioStream/restoreID``.
        let program: String
        /// The server's index of the stream, while the same server runs.
        let input: UInt32
        /// The volume of the loudest channel before, and that of the change; nil if the stream was muted.
        let original: UInt32
        let lowered: UInt32?
    }

    enum Event {
        /// The streams that play now.
        case listed(AudioDevices)
        case serverLost
        /// The changes are on disk or, with false, cannot be written.
        case saved(Bool)
        case microphoneOpened
        case microphoneClosed
        case timerFired
    }

    enum Effect: Equatable {
        /// Answered with ``Event/saved(_:)``.
        case save([Change])
        case setVolumes([UInt32], input: UInt32)
        case setMuted(Bool, input: UInt32)
        /// Answered with ``Event/listed(_:)``.
        case list
        case setTimer(MonotonicInstant)
    }

    /// The progress of a change.
    private enum Phase: Equatable {
        case writing
        /// On disk. It is ordered if the next list still has the volume of before.
        case written
        case ordered
        case made
        case undoing
        /// The stream has ended, with the server or without it. Once one of the same program has been seen
        /// with another volume, the change is forgotten at this time: the servers restore a volume some time
        /// after the stream appeared.
        case away(until: MonotonicInstant?)
    }

    private struct Entry: Equatable {
        let change: Change
        /// The server's index; nil while it is away.
        var stream: UInt32?
        var phase: Phase
        /// Streams that played before the change: if one of them plays like that, it is not because of the
        /// change.
        var others: Set<UInt32> = []

        /// True if nothing has been ordered.
        var isUnmade: Bool { phase == .writing || phase == .written }
    }

    private let mode: DuckingMode
    private var entries: [Entry]
    private var streams: [AudioStream] = []
    /// Streams that are left as they are until the microphone is closed: somebody else has changed them
    /// meanwhile, or the change could not be written down.
    private var declined: Set<UInt32> = []
    private var isOpen = false

    /// Far more than play at a time; further ones stay as they are.
    static let limit = 64
    /// For the server to restore the volume of a stream that appears. WirePlumber does it within some
    /// milliseconds.
    static let restoration = Duration.seconds(5)

    /// `undone` are the changes that an earlier run wrote down and may not have undone.
    init(_ mode: DuckingMode, undone: [Change] = []) {
        self.mode = mode
        let sound = undone.filter { Change.volumes.contains($0.original) }
        entries = sound.suffix(Self.limit).map { Entry(change: $0, phase: .away(until: nil)) }
    }

    /// True if changes of streams matter now.
    var isActive: Bool { isOpen || !entries.isEmpty }

    mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Effect] {
        var effects: [Effect] = []
        let before = entries.map(\.change)
        switch event {
        case .listed(let devices):
            streams = devices.otherPlayback
            // Before what is undone is forgotten, and after.
            recognise(at: now)
            settle()
            recognise(at: now)
            if isOpen { order(.written, &effects) }
            forget(at: now, &effects)
        case .serverLost:
            streams = []
            entries.removeAll(where: \.isUnmade)
            for index in entries.indices { lose(index) }
        case .saved(let isWritten): saved(isWritten, &effects)
        case .microphoneOpened:
            // What was listed before may have changed unnoticed.
            if !isActive { streams = [] }
            isOpen = mode != .off
        case .microphoneClosed: isOpen = false
        case .timerFired: forget(at: now, &effects)
        }
        if isOpen { begin(&effects) } else { undo(&effects) }
        let after = entries.map(\.change)
        if after != before { effects.append(.save(after)) }
        return effects
    }

    private mutating func lose(_ index: Int) {
        entries[index].stream = nil
        entries[index].phase = .away(until: nil)
    }

    /// Finds the streams that play as we have changed an earlier one of the same program, which the server
    /// remembers.
    private mutating func recognise(at now: MonotonicInstant) {
        for stream in streams where !isKnown(stream) {
            if let index = model(of: stream) {
                if entries[index].stream == nil {
                    entries[index].stream = stream.index
                    entries[index].phase = .made
                } else if entries.count < Self.limit {
                    let change = entries[index].change.of(stream)
                    entries.append(Entry(change: change, stream: stream.index, phase: .made))
                }
            } else {
                for index in entries.indices where entries[index].phase == .away(until: nil) {
                    guard entries[index].change.program == stream.restoreID else { continue }
                    entries[index].phase = .away(until: now + Self.restoration)
                }
            }
        }
    }

    /// The change of another stream that the server has made on this one too: first of one that is away.
    private func model(of stream: AudioStream) -> Int? {
        let matching = entries.indices.filter { index in
            let entry = entries[index]
            return entry.change.program == stream.restoreID && entry.stream != stream.index
                && !entry.others.contains(stream.index) && entry.change.isMade(on: stream)
        }
        let lost = matching.filter { entries[$0].stream == nil }
        return lost.first { entries[$0].change.input == stream.index } ?? lost.first ?? matching.first
    }

    private func isKnown(_ stream: AudioStream) -> Bool {
        entries.contains { $0.stream == stream.index && $0.change.program == stream.restoreID }
    }

    /// Forgets what is undone, and what was changed again by somebody else.
    private mutating func settle() {
        for index in entries.indices.reversed() {
            let (change, phase) = (entries[index].change, entries[index].phase)
            guard let number = entries[index].stream else { continue }
            guard let stream = streams.first(where: { $0.index == number && $0.restoreID == change.program })
            else {
                if entries[index].isUnmade { entries.remove(at: index) } else { lose(index) }
                continue
            }
            let (isOurs, isOriginal) = (change.isMade(on: stream), change.isUndone(on: stream))
            switch phase {
            // What was ordered may not have been made yet.
            case .writing where isOriginal, .written where isOriginal, .ordered where isOriginal,
                .undoing where isOurs, .away:
                break
            case .ordered where isOurs, .made where isOurs: entries[index].phase = .made
            case .ordered, .made:
                // PipeWire restores what it remembers after the stream has appeared, possibly after our
                // order.
                if model(of: stream) == nil { declined.insert(number) }
                entries.remove(at: index)
            case .writing, .written, .undoing: entries.remove(at: index)
            }
        }
    }

    private mutating func forget(at now: MonotonicInstant, _ effects: inout [Effect]) {
        entries.removeAll { if case .away(let end?) = $0.phase { end <= now } else { false } }
        let ends = entries.compactMap { if case .away(let end) = $0.phase { end } else { nil } }
        if let next = ends.min() { effects.append(.setTimer(next)) }
    }

    private mutating func begin(_ effects: inout [Effect]) {
        order(.undoing, &effects)
        for stream in streams where !isKnown(stream) && !declined.contains(stream.index) {
            guard entries.count < Self.limit, let change = change(of: stream) else { continue }
            let others = Set(streams.map(\.index)).subtracting([stream.index])
            entries.append(Entry(change: change, stream: stream.index, phase: .writing, others: others))
        }
    }

    private func change(of stream: AudioStream) -> Change? {
        guard let program = stream.restoreID, !stream.isCorked, !stream.isMuted,
            let volume = stream.volumes.max(), Change.volumes.contains(volume)
        else { return nil }
        let lowered: UInt32?
        switch mode {
        case .off: return nil
        case .lower: lowered = Change.lowered(volume)
        case .mute: lowered = nil
        }
        return Change(program: program, input: stream.index, original: volume, lowered: lowered)
    }

    private mutating func saved(_ isWritten: Bool, _ effects: inout [Effect]) {
        for index in entries.indices.reversed() where entries[index].phase == .writing {
            if isWritten {
                entries[index].phase = .written
            } else {
                if let stream = entries[index].stream { declined.insert(stream) }
                entries.remove(at: index)
            }
        }
        if entries.contains(where: { $0.phase == .written }) { effects.append(.list) }
    }

    private mutating func order(_ phase: Phase, _ effects: inout [Effect]) {
        for index in entries.indices where entries[index].phase == phase {
            guard let stream = streams.first(where: { $0.index == entries[index].stream }) else { continue }
            entries[index].phase = .ordered
            effects.append(entries[index].change.making(on: stream))
        }
    }

    private mutating func undo(_ effects: inout [Effect]) {
        declined = []
        // Not made yet: the order is not given.
        entries.removeAll(where: \.isUnmade)
        for index in entries.indices where [.ordered, .made].contains(entries[index].phase) {
            guard let stream = streams.first(where: { $0.index == entries[index].stream }) else { continue }
            entries[index].phase = .undoing
            effects.append(entries[index].change.undoing(on: stream))
        }
    }
}

extension DuckedStreams.Change {
    /// 10 to 200 %: streams that play more softly, or have what no volume control offers, stay as they are.
    fileprivate static let volumes: ClosedRange<UInt32> = 6554...131_072
    /// The servers may round what they are told. A volume control changes more.
    private static let tolerance: UInt32 = 256

    /// By 20 dB, as `module-role-ducking` of PulseAudio does. A volume is cubic.
    fileprivate static func lowered(_ volume: UInt32) -> UInt32 { UInt32(Double(volume) * 0.464) }

    fileprivate func of(_ stream: AudioStream) -> Self {
        Self(program: program, input: stream.index, original: original, lowered: lowered)
    }

    fileprivate func isMade(on stream: AudioStream) -> Bool {
        lowered.map { Self.isNear($0, stream) } ?? stream.isMuted
    }

    fileprivate func isUndone(on stream: AudioStream) -> Bool {
        lowered == nil ? !stream.isMuted : Self.isNear(original, stream)
    }

    private static func isNear(_ volume: UInt32, _ stream: AudioStream) -> Bool {
        guard let now = stream.volumes.max() else { return false }
        return max(now, volume) - min(now, volume) <= tolerance
    }

    fileprivate func making(on stream: AudioStream) -> DuckedStreams.Effect {
        lowered.map { Self.setting($0, on: stream) } ?? .setMuted(true, input: stream.index)
    }

    fileprivate func undoing(on stream: AudioStream) -> DuckedStreams.Effect {
        lowered == nil ? .setMuted(false, input: stream.index) : Self.setting(original, on: stream)
    }

    /// Keeps the balance of the channels.
    private static func setting(_ volume: UInt32, on stream: AudioStream) -> DuckedStreams.Effect {
        let loudest = Double(max(1, stream.volumes.max() ?? 1))
        let volumes = stream.volumes.map { UInt32((Double($0) / loudest * Double(volume)).rounded()) }
        return .setVolumes(volumes, input: stream.index)
    }
}
