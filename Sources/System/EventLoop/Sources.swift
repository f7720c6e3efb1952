import CSystemd
import Glibc

/// The events of a descriptor. The bits are those of `epoll_ctl(2)`.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Readiness(rawValue: 0x001)
    package static let writable = Readiness(rawValue: 0x004)
    /// Always reported, whether requested or not.
    package static let failed = Readiness(rawValue: 0x008)
    /// The peer has closed. Always reported, whether requested or not.
    package static let hungUp = Readiness(rawValue: 0x010)

    // `SetAlgebra` has these for every set, as generic code: that of another module is not specialised for a
    // type of package access, and each descriptor event uses it.

    package init() { rawValue = 0 }

    package init(arrayLiteral elements: Readiness...) {
        var bits: UInt32 = 0
        for element in elements { bits |= element.rawValue }
        rawValue = bits
    }

    package static func == (left: Readiness, right: Readiness) -> Bool { left.rawValue == right.rawValue }

    package func contains(_ other: Readiness) -> Bool { rawValue & other.rawValue == other.rawValue }

    package func isDisjoint(with other: Readiness) -> Bool { rawValue & other.rawValue == 0 }

    @discardableResult
    package mutating func insert(_ other: Readiness) -> (inserted: Bool, memberAfterInsert: Readiness) {
        defer { self = Readiness(rawValue: rawValue | other.rawValue) }
        return (!contains(other), other)
    }
}

/// The order in which `sd_event` dispatches sources when several are ready. Of the same priority the one that
/// has been ready for the longest time is next, so that they alternate.
///
/// Deferred ones do not: `sd_event` counts them as ready since they were first triggered. Therefore a
/// ``DeferredSource`` that is triggered again, and the jobs of Swift tasks that the loop itself enqueues,
/// come before all others of their priority. They hold these up only until they have worked off what has
/// arrived, because more arrives through the others.
package enum Priority: Int64, Sendable {
    /// Before everything else.
    case important = -100
    case normal = 0
    /// Only when nothing else is ready: work that any client of a daemon can ask for, and the conclusion that
    /// nothing has come, which a process that stood still may draw only when it has looked.
    case idle = 100
}

/// Calls a handler whenever a descriptor is ready. Does not own the descriptor: cancel the source before
/// closing it.
@EventLoop
package final class DescriptorSource {
    private let handler: @EventLoop (Readiness) -> Void
    private var source: OpaquePointer?

    /// - Parameters:
    ///   - descriptor: An open descriptor that `epoll` can watch.
    ///   - interest: The events to wait for.
    ///   - priority: Which sources are dispatched before this one.
    ///   - handler: Called once per iteration of the loop while the descriptor is ready (level-triggered).
    /// - Throws: `EPERM` if the descriptor cannot be watched, for example that of a regular file.
    package init(
        _ descriptor: Int32,
        _ interest: Readiness,
        priority: Priority = .normal,
        handler: @escaping @EventLoop (Readiness) -> Void
    ) throws(SystemError) {
        self.handler = handler
        self.interest = interest
        self.priority = priority
        let result = sd_event_add_io(
            LoopExecutor.shared.event,
            &source,
            descriptor,
            interest.rawValue,
            { _, _, events, context in
                withSource(context, as: DescriptorSource.self) { $0.handler(Readiness(rawValue: events)) }
            },
            unretained(self)
        )
        guard result >= 0 else { throw SystemError("watch a descriptor", -result) }
        if priority != .normal { sd_event_source_set_priority(source, priority.rawValue) }
    }

    isolated deinit { cancel() }

    /// The events to wait for. A change takes effect in the next iteration of the loop.
    package var interest: Readiness {
        didSet { sd_event_source_set_io_events(source, interest.rawValue) }
    }

    /// A change takes effect in the next iteration of the loop, without a system call.
    package var priority: Priority {
        didSet {
            if priority != oldValue { sd_event_source_set_priority(source, priority.rawValue) }
        }
    }

    /// Ends the watch. Further calls do nothing.
    package func cancel() {
        assert(isOpen, "a descriptor was closed before its source was cancelled")
        source = released(source)
    }

    /// False if the descriptor was closed: where another process has a copy of it, `epoll` goes on reporting
    /// it, for a source that is released (epoll(7), question 6).
    private var isOpen: Bool { source.map { fcntl(sd_event_source_get_io_fd($0), F_GETFD) >= 0 } ?? true }
}

/// Calls a handler at a given time. Idle until armed.
@EventLoop
package final class TimerSource {
    private let handler: @EventLoop () -> Void
    private let priority: Priority
    private var source: OpaquePointer?

    package init(priority: Priority = .normal, handler: @escaping @EventLoop () -> Void) {
        self.priority = priority
        self.handler = handler
    }

    isolated deinit { disarm() }

    /// True from arming it until it is disarmed, also after it has fired.
    package var isArmed: Bool { source != nil }

    /// Fires once, at `time` on the monotonic clock, with an accuracy of a millisecond.
    package func arm(at time: MonotonicInstant) {
        let microseconds = time.microseconds
        if let source {
            sd_event_source_set_time(source, microseconds)
            sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
            return
        }
        let result = sd_event_add_time(
            LoopExecutor.shared.event,
            &source,
            CLOCK_MONOTONIC,
            microseconds,
            1000,
            { _, _, context in withSource(context, as: TimerSource.self) { $0.handler() } },
            unretained(self)
        )
        // Fails only for lack of memory, and a time limit that never fires must not go unnoticed.
        precondition(result >= 0, "sd_event_add_time failed: \(String(cString: strerror(-result)))")
        if priority != .normal { sd_event_source_set_priority(source, priority.rawValue) }
    }

    /// Fires once, `delay` from now.
    package func arm(after delay: Duration) {
        arm(at: .now + delay)
    }

    package func disarm() {
        source = released(source)
    }
}

/// Calls a handler on the loop when the process receives a signal, instead of the signal's default action.
@EventLoop
package final class SignalSource {
    private let handler: @EventLoop () -> Void
    private var source: OpaquePointer?

    /// - Parameters:
    ///   - signal: A signal number, for example `SIGTERM`. It is blocked for the calling thread.
    ///   - handler: Called once per delivery.
    /// - Throws: `EINVAL` for a number that is not a signal.
    package init(_ signal: Int32, handler: @escaping @EventLoop () -> Void) throws(SystemError) {
        self.handler = handler
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, signal)
        // sd_event refuses a signal that is not blocked; it also reports an invalid number, below.
        _ = pthread_sigmask(SIG_BLOCK, &mask, nil)
        let result = sd_event_add_signal(
            LoopExecutor.shared.event,
            &source,
            signal,
            { _, _, context in withSource(context, as: SignalSource.self) { $0.handler() } },
            unretained(self)
        )
        guard result >= 0 else { throw SystemError("watch signal \(signal)", -result) }
    }

    isolated deinit { source = released(source) }
}

/// Runs a handler once in a later iteration of the loop, after the current handler has returned.
@EventLoop
package final class DeferredSource {
    private let handler: @EventLoop () -> Void
    private let priority: Priority
    private var source: OpaquePointer?

    package init(priority: Priority = .normal, handler: @escaping @EventLoop () -> Void) {
        self.priority = priority
        self.handler = handler
    }

    isolated deinit { source = released(source) }

    /// Schedules one run. Further calls before that run have no effect.
    package func trigger() {
        if let source {
            sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
            return
        }
        let result = sd_event_add_defer(
            LoopExecutor.shared.event,
            &source,
            { _, context in withSource(context, as: DeferredSource.self) { $0.handler() } },
            unretained(self)
        )
        precondition(result >= 0, "sd_event_add_defer failed: \(String(cString: strerror(-result)))")
        if priority != .normal { sd_event_source_set_priority(source, priority.rawValue) }
    }

    /// Cancels a scheduled run.
    package func cancel() {
        source = released(source)
    }
}

/// ``onLoop(_:as:_:)`` for a callback of sd_event, to which 0 is success.
func withSource<Source: AnyObject>(
    _ context: UnsafeMutableRawPointer?,
    as type: Source.Type,
    _ body: @EventLoop (Source) -> Void
) -> Int32 {
    onLoop(context, as: type, body)
    return 0
}

func released(_ source: OpaquePointer?) -> OpaquePointer? {
    if let source {
        sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
        sd_event_source_unref(source)
    }
    return nil
}
