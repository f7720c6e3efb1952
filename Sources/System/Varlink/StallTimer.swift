import EventLoop

/// The time limit for a peer to continue. Starting it again while it runs does not extend it.
@EventLoop
final class StallTimer {
    private let limit: Duration
    private let handler: @EventLoop () -> Void
    private var timer: TimerSource?
    private var isArmed = false

    init(_ limit: Duration, handler: @escaping @EventLoop () -> Void) {
        self.limit = limit
        self.handler = handler
    }

    func start() {
        guard !isArmed else { return }
        isArmed = true
        let timer = timer ?? TimerSource(handler: handler)
        self.timer = timer
        timer.arm(after: limit)
    }

    func stop() {
        guard isArmed else { return }
        isArmed = false
        timer?.disarm()
    }
}
