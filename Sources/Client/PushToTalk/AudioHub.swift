import EventLoop
import PTTMessages
import Synchronization

/// Where the audio of the active session passes: from the core's socket to those who listen, and from those who play to
/// the socket.
///
/// Frames and events come over two sockets, so that the first frames of a transmission may be here before it is told of,
/// and before the end of the one before it is. A frame goes to a listener only while its own transmission is told.
final class AudioHub: Sendable {
    static let shared = AudioHub()

    /// What was captured before anybody listened: the application learns of the activation a moment later than the
    /// microphone opens, and must not lose the first words. Two seconds: virtual microphones deliver that much at once.
    private static let earlyLimit = 100
    /// What waits for a listener that is slow; the oldest goes.
    private static let backlog = 250

    fileprivate struct State {
        var format = AudioFormat.standard
        var isActive = false
        /// Whether the transmission that frames come from has been told.
        var isTransmitting = false
        /// The number of the frame that came last; each transmission counts from 0.
        var last: UInt64?
        /// Of one transmission only: the present one, or the one that is told next.
        var early: [PTTAudioFrame] = []
        var listeners: [Int: AsyncStream<PTTAudioFrame>.Continuation] = [:]
        var lastListener = 0
        var attachment: Attachment?
    }

    private let state = Mutex(State())

    var format: AudioFormat { state.withLock { $0.format } }

    // MARK: From the attachment

    func attached(_ format: AudioFormat, _ attachment: Attachment) {
        state.withLock {
            $0.format = format
            $0.attachment = attachment
        }
    }

    /// Whoever listens hears the end: nobody else tells of it when the manager is gone.
    ///
    /// - Parameter attachment: Another that is attached meanwhile stays so.
    func detached(_ attachment: Attachment) {
        let isLast = state.withLock { state in
            guard state.attachment === attachment else { return false }
            state.attachment = nil
            return true
        }
        guard isLast else { return }
        transmissionEnded(at: nil)
        deactivated(at: nil)
    }

    func activated() {
        state.withLock { $0.isActive = true }
    }

    func transmissionBegan() {
        state.withLock { state in
            state.isTransmitting = true
            // What is here already is of this one.
            state.last = nil
            state.deliverEarly()
        }
    }

    /// - Parameter time: What was captured until then belonged to it; nil if nothing more is to come.
    func transmissionEnded(at time: MonotonicTime?) {
        state.withLock { state in
            state.isTransmitting = false
            state.dropEarly(until: time)
        }
    }

    /// - Parameter time: As in ``transmissionEnded(at:)``.
    func deactivated(at time: MonotonicTime?) {
        let listeners = state.withLock { state in
            defer {
                state.isActive = false
                state.dropEarly(until: time)
                state.listeners = [:]
            }
            return state.listeners.values
        }
        // Outside of the lock: a listener that ends takes itself out.
        for listener in listeners { listener.finish() }
    }

    func captured(_ header: AudioPacketHeader, _ samples: ArraySlice<UInt8>) {
        let frame = PTTAudioFrame(header, samples)
        state.withLock { state in
            if let last = state.last, frame.sequence <= last {
                // The next transmission: its beginning, and the end of the one before, are told later.
                state.isTransmitting = false
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

    /// - Returns: Whether the core has taken it.
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
            // Yielding only stores the frame: a listener that has gone is taken out by its end.
            for listener in listeners.values { listener.yield(frame) }
        }
        early = []
    }

    fileprivate mutating func dropEarly(until time: MonotonicTime?) {
        guard let time else {
            early = []
            return
        }
        early.removeAll { $0.timestamp < time.nanoseconds }
    }
}
