import EventLoop

/// Counts the messages of one connection, and says when everybody else is to be served before the next.
///
/// That is after so many in one turn of the loop, and also when they come one by one and one behind the other: who is
/// served before others must not be able to keep them from being served at all.
@EventLoop
final class TurnLimit {
    /// Messages further apart than this do not count as one behind the other.
    private static let window = Duration.milliseconds(100)

    private let limit: Int
    private let resume: @EventLoop () -> Void
    private var taken = 0
    private var windowStart: MonotonicInstant?
    private var resumption: DeferredSource?
    /// Everybody else is served first.
    var isWaiting = false

    /// - Parameters:
    ///   - limit: Messages in a turn.
    ///   - resume: Called when everybody else has been served.
    init(_ limit: Int, resume: @escaping @EventLoop () -> Void) {
        self.limit = limit
        self.resume = resume
    }

    /// A turn of the loop begins that may take messages.
    func startTurn() {
        let now = EventLoop.turnTime
        if let windowStart, now - windowStart < Self.window { return }
        windowStart = now
        taken = 0
    }

    func take() { taken += 1 }

    var isSpent: Bool { taken >= limit }

    /// Calls ``resume`` although the descriptor may not be ready then.
    func resumeLater() {
        let resumption = resumption ?? DeferredSource(priority: .idle) { [weak self] in self?.resume() }
        self.resumption = resumption
        resumption.trigger()
    }

    /// Everybody else has been served.
    func renew() {
        isWaiting = false
        taken = 0
        resumption?.cancel()
    }

    func cancel() {
        resumption = nil
    }
}
