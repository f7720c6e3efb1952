import CPulse
import EventLoop
import Glibc

/// An event that libpulse owns until it frees it.
@EventLoop
class LibpulseEvent {
    /// The type is the same for all kinds of events.
    var destroy: pa_io_event_destroy_cb_t?
    fileprivate let userdata: UnsafeMutableRawPointer?

    fileprivate init(_ userdata: UnsafeMutableRawPointer?) {
        self.userdata = userdata
    }

    final func free() {
        cancel()
        destroy?(MainLoopAPI.pointer, opaque(self), userdata)
    }

    /// The callback is not called again.
    fileprivate func cancel() {}
}

/// `pa_io_event`: a descriptor that libpulse waits for.
@EventLoop
final class IOEvent: LibpulseEvent {
    private let descriptor: Int32
    /// libpulse may add a descriptor several times, epoll only once.
    private let copy: OwnedDescriptor
    private let callback: pa_io_event_cb_t?
    private var source: DescriptorSource?

    init(
        _ descriptor: Int32,
        _ interest: Readiness,
        callback: pa_io_event_cb_t?,
        userdata: UnsafeMutableRawPointer?
    ) {
        self.descriptor = descriptor
        copy = OwnedDescriptor(adopting: fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
        self.callback = callback
        super.init(userdata)
        enable(interest)
    }

    func enable(_ interest: Readiness) {
        if interest.isEmpty {
            // An empty interest is not enough: epoll always reports hang-ups, again and again.
            cancel()
        } else if let source {
            source.interest = interest
        } else {
            // A descriptor that the kernel refuses to copy or to watch never becomes ready, and the timeouts
            // of connecting, opening and closing then treat the server as lost.
            source = try? DescriptorSource(copy.value, interest) { [weak self] in self?.report($0) }
        }
    }

    override fileprivate func cancel() {
        source?.cancel()
        source = nil
    }

    private func report(_ readiness: Readiness) {
        callback?(MainLoopAPI.pointer, opaque(self), descriptor, readiness.pulseFlags, userdata)
    }
}

/// `pa_time_event`: a one-shot timer at a wall-clock time.
@EventLoop
final class TimeEvent: LibpulseEvent {
    private let callback: pa_time_event_cb_t?
    private var time = timeval()
    private lazy var timer = TimerSource { [weak self] in self?.fired() }

    init(_ time: timeval?, callback: pa_time_event_cb_t?, userdata: UnsafeMutableRawPointer?) {
        self.callback = callback
        super.init(userdata)
        restart(time)
    }

    func restart(_ time: timeval?) {
        guard let time else { return cancel() }
        self.time = time
        var now = timeval()
        // Cannot fail with a valid pointer (gettimeofday(2)).
        _ = gettimeofday(&now, nil)
        let delay =
            Duration.seconds(time.tv_sec - now.tv_sec) + .microseconds(time.tv_usec - now.tv_usec)
        // On foreign loops libpulse uses wall-clock time; the timer is monotonic, so that setting the clock
        // does not move a timeout that is already running.
        timer.arm(after: max(.zero, delay))
    }

    override fileprivate func cancel() { timer.disarm() }

    private func fired() {
        // A copy: the callback may set a new time.
        var time = time
        callback?(MainLoopAPI.pointer, opaque(self), &time, userdata)
    }
}

/// `pa_defer_event`: called in every iteration of the loop while enabled.
@EventLoop
final class DeferEvent: LibpulseEvent {
    private let callback: pa_defer_event_cb_t?
    private lazy var source = DeferredSource { [weak self] in self?.fired() }

    init(callback: pa_defer_event_cb_t?, userdata: UnsafeMutableRawPointer?) {
        self.callback = callback
        super.init(userdata)
        enable(true)
    }

    func enable(_ isEnabled: Bool) {
        isEnabled ? source.trigger() : cancel()
    }

    override fileprivate func cancel() { source.cancel() }

    private func fired() {
        // Triggered again before the callback, which may disable or free the event.
        source.trigger()
        callback?(MainLoopAPI.pointer, opaque(self), userdata)
    }
}

private func opaque(_ event: AnyObject) -> OpaquePointer {
    OpaquePointer(unretained(event))
}

extension Readiness {
    init(_ flags: pa_io_event_flags_t) {
        self = []
        if flags.rawValue & PA_IO_EVENT_INPUT.rawValue != 0 { insert(.readable) }
        if flags.rawValue & PA_IO_EVENT_OUTPUT.rawValue != 0 { insert(.writable) }
    }

    fileprivate var pulseFlags: pa_io_event_flags_t {
        var flags = PA_IO_EVENT_NULL.rawValue
        if contains(.readable) { flags |= PA_IO_EVENT_INPUT.rawValue }
        if contains(.writable) { flags |= PA_IO_EVENT_OUTPUT.rawValue }
        if contains(.hungUp) { flags |= PA_IO_EVENT_HANGUP.rawValue }
        if contains(.failed) { flags |= PA_IO_EVENT_ERROR.rawValue }
        return pa_io_event_flags_t(rawValue: flags)
    }
}
