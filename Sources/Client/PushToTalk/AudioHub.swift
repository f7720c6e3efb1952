internal import EventLoop
internal import PTTMessages
internal import Synchronization

/// Where the audio of the active session passes: from the core's socket to those who listen, and from those who play to
/// the socket.
final class AudioHub: Sendable {
    static let shared = AudioHub()

    /// What was captured before anybody listened: the application learns of the activation a moment later than the
    /// microphone opens, and must not lose the first words. Two seconds: virtual microphones deliver that much at once.
    private static let earlyLimit = 100
    /// What waits for a listener that is slow; the oldest goes.
    private static let backlog = 250

    private struct State {
        var format = AudioFormat.standard
        var isActive = false
        var early: [PTTAudioFrame] = []
        var listeners: [Int: AsyncStream<PTTAudioFrame>.Continuation] = [:]
        var lastListener = 0
        var session: Session?
    }

    private let state = Mutex(State())

    var format: AudioFormat { state.withLock { $0.format } }

    // MARK: From the session

    func attached(_ format: AudioFormat, _ session: Session) {
        state.withLock {
            $0.format = format
            $0.session = session
        }
    }

    func detached() {
        state.withLock { $0.session = nil }
    }

    func activated() {
        state.withLock { $0.isActive = true }
    }

    func deactivated() {
        let listeners = state.withLock { state in
            defer {
                state.isActive = false
                state.early = []
                state.listeners = [:]
            }
            return state.listeners.values
        }
        for listener in listeners { listener.finish() }
    }

    func captured(_ header: AudioPacketHeader, _ samples: ArraySlice<UInt8>) {
        let frame = PTTAudioFrame(header, samples)
        let listeners = state.withLock { state in
            if state.listeners.isEmpty {
                state.early.append(frame)
                state.early.removeFirst(max(0, state.early.count - Self.earlyLimit))
            }
            return state.listeners.values
        }
        for listener in listeners { listener.yield(frame) }
    }

    // MARK: From the application

    func listen() -> AsyncStream<PTTAudioFrame> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.backlog)) { continuation in
            let number = state.withLock { state -> Int? in
                guard state.isActive else { return nil }
                for frame in state.early { continuation.yield(frame) }
                state.early = []
                state.lastListener += 1
                state.listeners[state.lastListener] = continuation
                return state.lastListener
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { [self] _ in
                _ = state.withLock { $0.listeners.removeValue(forKey: number) }
            }
        }
    }

    /// - Returns: Whether the core has taken it.
    func play(_ samples: [UInt8]) async -> Bool {
        guard let session = state.withLock({ $0.session }) else { return false }
        return await withCheckedContinuation { continuation in
            EventLoop.start { session.send(samples) { continuation.resume(returning: $0) } }
        }
    }
}
