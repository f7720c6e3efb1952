import EventLoop
import PTTMessages
import Synchronization

/// Distributes the captured frames of the active session to the application's listeners, and passes frames to
/// play to the socket.
///
/// Frames and events come over two sockets, so that the first frames of a transmission may come before its
/// beginning is reported, and even before the end of the previous transmission is. A listener receives a
/// frame only between the reported beginning and end of the frame's own transmission.
final class AudioHub: Sendable {
    static let shared = AudioHub()

    /// Frames that are kept for the first listener, two seconds: the application is notified of the
    /// activation a moment after the microphone opens, and must not lose the first words. Virtual microphones
    /// deliver that much at once.
    private static let earlyLimit = 100
    /// Frames that wait for a slow listener, five seconds; the oldest is discarded first.
    private static let backlog = 250

    fileprivate struct State {
        var isActive = false
        /// True if the beginning of the frames' transmission has been reported, and not its end.
        var isTransmitting = false
        /// The sequence number of the newest frame; each transmission counts from 0.
        var last: UInt64?
        /// Frames of one transmission only: the present one, or the one that is reported next.
        var early: [PTTAudioFrame] = []
        /// True if ``early`` is of the next one, and the end of the present one has not been reported.
        var isAhead = false
        var listeners: [Int: AsyncStream<PTTAudioFrame>.Continuation] = [:]
        var lastListener = 0
        var attachment: Attachment?
    }

    private let state = Mutex(State())

    // MARK: From the attachment

    func attached(_ attachment: Attachment) {
        state.withLock { $0.attachment = attachment }
    }

    /// Ends the listeners' sequences: no event does that after the manager is gone.
    ///
    /// - Parameter attachment: If it is not the present one, nothing changes.
    func detached(_ attachment: Attachment) {
        let isLast = state.withLock { state in
            guard state.attachment === attachment else { return false }
            state.attachment = nil
            return true
        }
        guard isLast else { return }
        coreLost()
        deactivated()
    }

    /// Discards the frames of a transmission that will not be reported.
    func coreLost() {
        state.withLock { state in
            state.isAhead = false
            state.early = []
        }
    }

    func activated() {
        state.withLock { $0.isActive = true }
    }

    func transmissionBegan() {
        state.withLock { state in
            state.isTransmitting = true
            // The frames that are here already belong to this transmission.
            state.last = nil
            state.isAhead = false
            state.deliverEarly()
        }
    }

    /// Every frame that the core sent before has been passed to ``captured(_:_:)``. Their times do not say
    /// what they belong to: a virtual microphone delivers ahead of time.
    func transmissionEnded() {
        state.withLock { $0.end() }
    }

    func deactivated() {
        let listeners = state.withLock { state in
            defer {
                state.isActive = false
                state.end()
                state.listeners = [:]
            }
            return state.listeners.values
        }
        // Outside of the lock, because `onTermination` locks too.
        for listener in listeners { listener.finish() }
    }

    func captured(_ header: AudioPacketHeader, _ samples: ArraySlice<UInt8>) {
        let frame = PTTAudioFrame(header, samples)
        state.withLock { state in
            if let last = state.last, frame.sequence <= last {
                // The next transmission, before its beginning and the previous one's end are reported.
                state.isTransmitting = false
                state.isAhead = true
                state.early = []
            }
            state.last = frame.sequence
            state.early.append(frame)
            state.early.removeFirst(max(0, state.early.count - Self.earlyLimit))
            state.deliverEarly()
        }
    }

    // MARK: From the application

    func listen() -> AsyncStream<PTTAudioFrame> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.backlog)) { continuation in
            let number = state.withLock { state -> Int? in
                guard state.isActive else { return nil }
                state.lastListener += 1
                state.listeners[state.lastListener] = continuation
                state.deliverEarly()
                return state.lastListener
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { [self] _ in
                _ = state.withLock { $0.listeners.removeValue(forKey: number) }
            }
        }
    }

    /// - Returns: True if the samples were sent to the core.
    func play(_ samples: [UInt8]) async -> Bool {
        guard let attachment = state.withLock({ $0.attachment }) else { return false }
        return await withCheckedContinuation { continuation in
            EventLoop.start { attachment.send(samples) { continuation.resume(returning: $0) } }
        }
    }
}

extension AudioHub.State {
    fileprivate mutating func deliverEarly() {
        guard isTransmitting, !listeners.isEmpty else { return }
        for frame in early {
            // Yielding only stores the frame, and does nothing after the listener's end.
            for listener in listeners.values { listener.yield(frame) }
        }
        early = []
    }

    fileprivate mutating func end() {
        isTransmitting = false
        if !isAhead { early = [] }
    }
}
