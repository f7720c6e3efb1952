import CPulse
import EventLoop
import Glibc

/// `pa_io_event`: a descriptor that libpulse waits for.
@EventLoop
final class IOEvent {
    let descriptor: Int32
    private(set) var interest: Readiness
    var destroy: pa_io_event_destroy_cb_t?
    private let callback: pa_io_event_cb_t?
    private let userdata: UnsafeMutableRawPointer?
    private var isFreed = false

    init(
        _ descriptor: Int32,
        _ interest: Readiness,
        callback: pa_io_event_cb_t?,
        userdata: UnsafeMutableRawPointer?
    ) {
        self.descriptor = descriptor
        self.interest = interest
        self.callback = callback
        self.userdata = userdata
        WatchedDescriptor.add(self)
    }

    func enable(_ interest: Readiness) {
        self.interest = interest
        WatchedDescriptor.update(self)
    }

    func report(_ readiness: Readiness) {
        let relevant = readiness.intersection([interest, .failed, .hungUp])
        guard !isFreed, !interest.isEmpty, !relevant.isEmpty else { return }
        callback?(MainLoopAPI.pointer, opaque(self), descriptor, relevant.pulseFlags, userdata)
    }

    func free() {
        isFreed = true
        WatchedDescriptor.remove(self)
        destroy?(MainLoopAPI.pointer, opaque(self), userdata)
    }
}

/// One descriptor with all its events: libpulse may add a descriptor several times, epoll only once.
@EventLoop
private final class WatchedDescriptor {
    private static var all: [Int32: WatchedDescriptor] = [:]

    private let descriptor: Int32
    private var events: [IOEvent] = []
    private var source: DescriptorSource?

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    static func add(_ event: IOEvent) {
        let watched = all[event.descriptor] ?? WatchedDescriptor(event.descriptor)
        all[event.descriptor] = watched
        watched.events.append(event)
        watched.update()
    }

    static func update(_ event: IOEvent) {
        all[event.descriptor]?.update()
    }

    static func remove(_ event: IOEvent) {
        guard let watched = all[event.descriptor] else { return }
        watched.events.removeAll { $0 === event }
        watched.update()
        if watched.events.isEmpty { all[event.descriptor] = nil }
    }

    private func update() {
        let interest = events.reduce(into: Readiness()) { $0.formUnion($1.interest) }
        guard !interest.isEmpty else {
            // An empty interest is not enough: epoll always reports hang-ups, again and again.
            source?.cancel()
            source = nil
            return
        }
        if let source {
            source.interest = interest
            return
        }
        // A descriptor that the kernel refuses to watch never becomes ready, and the timeouts of connecting,
        // opening and closing then treat the server as lost.
        source = try? DescriptorSource(descriptor, interest) { [weak self] readiness in
            self?.report(readiness)
        }
    }

    private func report(_ readiness: Readiness) {
        // A copy: callbacks add and free events.
        for event in events { event.report(readiness) }
    }
}

/// `pa_time_event`: a one-shot timer at a wall-clock time.
@EventLoop
final class TimeEvent {
    var destroy: pa_time_event_destroy_cb_t?
    private let callback: pa_time_event_cb_t?
    private let userdata: UnsafeMutableRawPointer?
    private var time = timeval()
    private lazy var timer = TimerSource { [weak self] in self?.fired() }

    init(_ time: timeval?, callback: pa_time_event_cb_t?, userdata: UnsafeMutableRawPointer?) {
        self.callback = callback
        self.userdata = userdata
        restart(time)
    }

    func restart(_ time: timeval?) {
        guard let time else {
            timer.disarm()
            return
        }
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

    func free() {
        timer.disarm()
        destroy?(MainLoopAPI.pointer, opaque(self), userdata)
    }

    private func fired() {
        // A copy: the callback may set a new time.
        var time = time
        callback?(MainLoopAPI.pointer, opaque(self), &time, userdata)
    }
}

/// `pa_defer_event`: called in every iteration of the loop while enabled.
@EventLoop
final class DeferEvent {
    var destroy: pa_defer_event_destroy_cb_t?
    private let callback: pa_defer_event_cb_t?
    private let userdata: UnsafeMutableRawPointer?
    private lazy var source = DeferredSource { [weak self] in self?.fired() }

    init(callback: pa_defer_event_cb_t?, userdata: UnsafeMutableRawPointer?) {
        self.callback = callback
        self.userdata = userdata
        enable(true)
    }

    func enable(_ isEnabled: Bool) {
        if isEnabled {
            source.trigger()
        } else {
            source.cancel()
        }
    }

    func free() {
        source.cancel()
        destroy?(MainLoopAPI.pointer, opaque(self), userdata)
    }

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
