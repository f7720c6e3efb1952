import EventLoop

/// Lets tasks wait for a condition, which is evaluated at each notified change.
@EventLoop
final class ChangeNotifier {
    private final class Waiter {
        let condition: @EventLoop () -> Bool
        var continuation: CheckedContinuation<Bool, Never>?
        var timer: TimerSource?

        init(_ condition: @escaping @EventLoop () -> Bool) {
            self.condition = condition
        }
    }

    private var waiters: [Waiter] = []

    /// Evaluates all conditions that are waited for.
    func notify() {
        for waiter in waiters where waiter.condition() { finish(waiter, true) }
    }

    /// - Returns: True if `condition` became true within `limit`.
    func wait(for limit: Duration, until condition: @escaping @EventLoop () -> Bool) async -> Bool {
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
