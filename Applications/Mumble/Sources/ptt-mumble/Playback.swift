import Foundation
import MumbleCore
import PushToTalk

/// Plays who is heard, each until the end of what is said. The last words of one and the first ones of
/// another may be played together.
@MainActor
final class Playback {
    private static let period = DispatchTimeInterval.milliseconds(20)
    /// Packets that stay away do not keep the floor taken.
    private nonisolated static let longestEnd = 2 * 50
    /// The most frames that are under way to the speaker.
    private static let lead = 8

    private enum Output {
        /// Nothing is played.
        case closed
        /// The speaker is being opened: what comes waits.
        case awaited
        case open(PTTSpeaker)
    }

    private struct Voice {
        let decoder: VoiceDecoder
        /// True if this voice waits for its turn.
        var isKept = false
        var isEnding = false
        /// Periods in which the end has to be played.
        var rest = Playback.longestEnd

        @MainActor var isOver: Bool { isEnding && (decoder.isEmpty || rest == 0) }
    }

    private var voices: [UInt32: Voice] = [:]
    private var output = Output.closed
    private var task: Task<Void, Never>?
    private let played: @MainActor (UInt32) -> Void

    /// - Parameter played: Called with the session of whom all was played after ``finish(_:)``; not after
    ///   ``drop(_:)`` and ``stop()``.
    init(played: @escaping @MainActor (UInt32) -> Void) { self.played = played }

    isolated deinit { task?.cancel() }

    // MARK: The speaker

    /// It is being opened.
    func prepare() {
        if case .closed = output { output = .awaited }
    }

    /// Plays what is there, and what comes.
    func open(_ speaker: PTTSpeaker) {
        output = .open(speaker)
        run()
    }

    /// The speaker is closed; if it is being opened, that was the one before.
    ///
    /// - Returns: True if it was open: what has not been played is dropped.
    func closed() -> Bool {
        cancel()
        guard case .open = output else { return false }
        output = .closed
        voices = [:]
        return true
    }

    /// Nobody is played any more.
    func stop() {
        cancel()
        output = .closed
        voices = [:]
    }

    // MARK: What is said

    /// - Parameters:
    ///   - packet: The packet.
    ///   - session: Who says it.
    ///   - isKept: If true, it is only played after ``release(_:)``.
    func put(_ packet: VoicePacket, of session: UInt32, isKept: Bool = false) {
        if case .closed = output, !isKept { return }
        // Nothing is heard without memory.
        guard var voice = voices[session] ?? VoiceDecoder().map({ Voice(decoder: $0) }) else { return }
        // Somebody who goes on before the end of what was said has been played.
        voice.isEnding = packet.isLast
        (voice.isKept, voice.rest) = (isKept, Self.longestEnd)
        voice.decoder.put(packet.opus, number: packet.number)
        voices[session] = voice
        run()
    }

    /// Plays what there is.
    func finish(_ session: UInt32) {
        guard voices[session] != nil else { return played(session) }
        voices[session]?.isEnding = true
        run()
    }

    func drop(_ session: UInt32) { voices[session] = nil }

    /// Plays what was kept.
    func release(_ session: UInt32) {
        voices[session]?.isKept = false
        run()
    }

    // MARK: Playing

    private func cancel() {
        task?.cancel()
        task = nil
    }

    /// True if all was played that is not kept.
    private var isOver: Bool { voices.values.allSatisfy { $0.isKept || $0.isOver } }

    private func run() {
        guard task == nil, voices.values.contains(where: { !$0.isKept }),
            case .open(let speaker) = output
        else { return }
        task = MainQueue.start { [weak self] in await self?.play(speaker) }
    }

    private func play(_ speaker: PTTSpeaker) async {
        // At most two at once: what a busy machine delays for longer is missing in the speaker, and caught up
        // would be heard later from then on.
        let (beats, beat) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
        timer.setEventHandler { for _ in 0..<timer.data { beat.yield() } }
        timer.schedule(deadline: .now(), repeating: Self.period, leeway: .nanoseconds(0))
        timer.activate()
        defer { timer.cancel() }
        // Silence that is in hand when a packet is late. Otherwise there is a hole in the first word.
        await speaker.play(PTTAudioFrame(samples: []))
        var silence = 0
        for await () in beats {
            let isOver = isOver
            silence = isOver ? silence + 1 : 0
            if silence > Self.lead { break }
            if !isOver { endVoices() }
            // In place of the speaker's own end, which hears nobody who goes on meanwhile.
            await speaker.play(PTTAudioFrame(samples: isOver ? [] : mixed()))
        }
        // Cancelled: the speaker is closed, or nobody is to be heard any more.
        guard !Task.isCancelled else { return }
        task = nil
        endVoices()
    }

    private func endVoices() {
        for (session, voice) in voices where !voice.isKept && voice.isOver {
            voices[session] = nil
            played(session)
        }
    }

    /// The next 20 milliseconds of everybody.
    private func mixed() -> [Int16] {
        var sum = [Int32](repeating: 0, count: VoiceDecoder.sampleCount)
        for (session, voice) in voices where !voice.isKept {
            if voice.isEnding { voices[session]?.rest -= 1 }
            for (index, sample) in voice.decoder.next().enumerated() { sum[index] += Int32(sample) }
        }
        return sum.map { Int16(clamping: $0) }
    }
}
