import EventLoop
import Glibc
import Synchronization

/// A descriptor for text that never holds up the event loop: a command that talks ends its transmission in
/// time, whether or not somebody reads what it writes.
final class TerminalOutput: Sendable {
    /// In bytes. What waits beyond it is taken for a reader that never comes.
    private static let limit = 1 << 20

    private struct State {
        var waiting: ArraySlice<UInt8> = []
        var failure: SystemError?
        var isWatched = false
        var whenFailed: @Sendable () -> Void = {}
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    var isWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Calls the handler once, also if it has failed already.
    func whenFailed(_ handler: @escaping @Sendable () -> Void) {
        let hasFailed = state.withLock { state in
            state.whenFailed = handler
            return state.failure != nil
        }
        if hasFailed { handler() }
    }

    func write(_ parts: [Terminal.Part]) {
        let bytes = parts.flatMap(\.bytes)
        update { state in
            guard state.waiting.count + bytes.count <= Self.limit else {
                state.failure = SystemError("write", ENOBUFS)
                return
            }
            state.waiting += bytes
            flush(&state)
        }
    }

    /// Waits for the reader.
    ///
    /// - Returns: The reason why not everything could be written; nil if it was.
    func finish() -> SystemError? {
        Self.releaseSignals()
        while isWaiting {
            var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // Interrupted by a signal that does not end the process, if at all.
            _ = poll(&readiness, 1, -1)
            update { flush(&$0) }
        }
        return state.withLock { $0.failure }
    }

    private func flush(_ state: inout State) {
        do throws(SystemError) {
            state.waiting = state.waiting.dropFirst(
                try ImmediateOutput.write(state.waiting, to: descriptor)
            )
        } catch {
            state.failure = error
        }
    }

    /// Changes the state, and does what follows from it outside of the lock.
    private func update(_ change: (inout State) -> Void) {
        let (mustWatch, failed) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard state.failure == nil else { return (false, nil) }
            change(&state)
            guard state.failure == nil else {
                state.waiting = []
                return (false, state.whenFailed)
            }
            let mustWatch = !state.waiting.isEmpty && !state.isWatched
            if mustWatch { state.isWatched = true }
            return (mustWatch, nil)
        }
        failed?()
        if mustWatch { EventLoop.start { [self] in watch() } }
    }

    /// Writes the rest as soon as there is room.
    @EventLoop
    private func watch() {
        var source: DescriptorSource?
        // What cannot be watched is written at the end.
        source = try? DescriptorSource(descriptor, .writable) { [self] _ in
            update { state in
                flush(&state)
                state.isWatched = !state.waiting.isEmpty
            }
            guard !isWaiting else { return }
            source?.cancel()
            source = nil
        }
    }

    /// From now on a signal that the loop has watched has its usual effect: nothing is left to end in order.
    static func releaseSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
