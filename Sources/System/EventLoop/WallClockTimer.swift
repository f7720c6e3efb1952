import CLinux
import Glibc

/// Calls a handler at a wall-clock time, or earlier if the clock is set (timerfd_create(2),
/// `TFD_TIMER_CANCEL_ON_SET`), because the intended time may then be a different one. Idle until armed.
@EventLoop
package final class WallClockTimer {
    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?

    /// - Parameter handler: May arm the timer again.
    /// - Throws: `EMFILE` or `ENFILE` if the process or the machine has too many descriptors.
    package init(handler: @escaping @EventLoop () -> Void) throws(SystemError) {
        let created = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        guard created >= 0 else { throw SystemError("create a timer") }
        descriptor = OwnedDescriptor(adopting: created)
        source = try DescriptorSource(created, .readable) { [weak self] _ in
            self?.disarm()
            handler()
        }
    }

    // The source ends before the descriptor closes: the number may be reused from then on.
    isolated deinit { source?.cancel() }

    /// Fires once, when the clock reaches the time or is set.
    ///
    /// - Parameter seconds: Since 1970 in UTC. A time in the past fires in the next iteration of the loop.
    package func arm(at seconds: Int) {
        // Zero would disarm.
        set(max(1, seconds), Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
    }

    package func disarm() {
        set(0, 0)
    }

    private func set(_ seconds: Int, _ flags: Int32) {
        var time = itimerspec()
        time.it_value.tv_sec = seconds
        let result = timerfd_settime(descriptor.value, flags, &time, nil)
        // ECANCELED: the clock was set since the last call; the timer is armed nevertheless.
        precondition(
            result == 0 || errno == ECANCELED,
            "timerfd_settime failed: \(SystemError("set a timer"))"
        )
    }
}
