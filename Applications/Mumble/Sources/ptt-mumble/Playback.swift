import MumbleCore
import PushToTalk

/// Plays one person, until the end of what is said.
@MainActor
final class Playback {
    private static let period = Duration.milliseconds(20)
    /// Packets that stay away do not keep the floor taken.
    private static let longestEnd = 2 * 50

    private let decoder: VoiceDecoder
    private let finished: @MainActor () -> Void
    private var task: Task<Void, Never>?
    private var isEnding = false

    /// Nil without memory.
    ///
    /// - Parameter finished: Called once, after all was heard; not after ``stop()``.
    init?(finished: @escaping @MainActor () -> Void) {
        guard let decoder = VoiceDecoder() else { return nil }
        (self.decoder, self.finished) = (decoder, finished)
    }

    isolated deinit { task?.cancel() }

    func put(_ packet: VoicePacket) {
        // Somebody who goes on before the end of what was said has been played.
        isEnding = packet.isLast
        decoder.put(packet.opus, number: packet.number)
    }

    /// Plays what is there, and what comes.
    func start(_ speaker: PTTSpeaker) {
        guard task == nil else { return }
        task = Task { [weak self] in await self?.run(speaker) }
    }

    /// The audio session has ended: what comes waits for the next.
    func pause() {
        task?.cancel()
        task = nil
    }

    func stop() {
        pause()
        isEnding = false
    }

    /// Calls `finished` after what is there was heard.
    func finish() { isEnding = true }

    private func run(_ speaker: PTTSpeaker) async {
        var next = ContinuousClock.now
        var rest = Self.longestEnd
        while !(isEnding && (decoder.isEmpty || rest == 0)) {
            if isEnding { rest -= 1 }
            await speaker.play(PTTAudioFrame(samples: decoder.next()))
            next += Self.period
            // Cancelled: the session has ended, or somebody else talks.
            guard (try? await Task.sleep(until: next, tolerance: .zero)) != nil else { return }
        }
        await speaker.finish()
        guard !Task.isCancelled else { return }
        finished()
    }
}
