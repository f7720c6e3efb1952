import EventLoop

/// Counts the messages of one connection, and decides when all others are to be served before its next.
///
/// A connection waits after a number of messages in one turn of the loop, or in turns that follow each other
/// closely: with a higher priority it must not be able to starve the others.
@EventLoop
final class TurnLimit {
    /// Messages further apart than this do not count together.
    private static let window = Duration.milliseconds(100)

    private let limit: Int
    private let resume: @EventLoop () -> Void
    private var messages = 0
    private var windowStart: MonotonicInstant?
    private lazy var resumption = DeferredSource(priority: .idle) { [weak self] in self?.resume() }
    /// All other connections are served first.
    var isWaiting = false

    /// `limit` is of messages in a turn; `resume` is called when all other connections have been served.
    init(_ limit: Int, resume: @escaping @EventLoop () -> Void) {
        self.limit = limit
        self.resume = resume
    }

    /// A turn of the loop begins in which messages may be handled.
    func startTurn() {
        let now = EventLoop.turnTime
        if let windowStart, now - windowStart < Self.window { return }
        windowStart = now
        messages = 0
    }

    func count() { messages += 1 }

    var isSpent: Bool { messages >= limit }

    /// Calls ``resume`` even if the descriptor is not ready then: messages have been received already.
    func resumeLater() { resumption.trigger() }

    /// All other connections have been served.
    func renew() {
        isWaiting = false
        messages = 0
        resumption.cancel()
    }

    func cancel() { resumption.cancel() }
}
