import EventLoop

/// Lets a task wait until something that signals bring about has come true.
@EventLoop
final class Changes {
    private final class Waiter {
        let condition: @EventLoop () -> Bool
        var continuation: CheckedContinuation<Bool, Never>?
        var timer: TimerSource?

        init(_ condition: @escaping @EventLoop () -> Bool) {
            self.condition = condition
        }
    }

    private var waiters: [Waiter] = []

    /// Called at each change.
    var observer: @EventLoop () -> Void = {}

    /// Looks again at what is waited for.
    func happened() {
        observer()
        for waiter in waiters where waiter.condition() { finish(waiter, true) }
    }

    /// - Returns: Whether `condition` came true within `limit`.
    func wait(_ limit: Duration, until condition: @escaping @EventLoop () -> Bool) async -> Bool {
        if condition() { return true }
        let waiter = Waiter(condition)
        return await withCheckedContinuation { continuation in
            waiter.continuation = continuation
            let timer = TimerSource { [weak self] in self?.finish(waiter, false) }
            timer.arm(after: limit)
            waiter.timer = timer
            waiters.append(waiter)
        }
    }

    private func finish(_ waiter: Waiter, _ result: Bool) {
        waiters.removeAll { $0 === waiter }
        waiter.timer = nil
        waiter.continuation?.resume(returning: result)
        waiter.continuation = nil
    }
}
