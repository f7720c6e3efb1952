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
        _ callback: pa_io_event_cb_t?,
        _ userdata: UnsafeMutableRawPointer?
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
        let seen = readiness.intersection([interest, .failed, .hungUp])
        guard !isFreed, !interest.isEmpty, !seen.isEmpty else { return }
        callback?(LoopAdapter.api, opaque(self), descriptor, seen.pulseFlags, userdata)
    }

    func free() {
        isFreed = true
        WatchedDescriptor.remove(self)
        destroy?(LoopAdapter.api, opaque(self), userdata)
    }
}

/// One descriptor with all the events on it: epoll takes a descriptor once, libpulse adds it as often as it likes.
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
            // Not merely an empty interest: epoll reports hang-ups unasked, again and again.
            source?.cancel()
            source = nil
            return
        }
        if let source {
            source.interest = interest
            return
        }
        // A descriptor that the kernel refuses to watch stays silent, and the time limits on connecting,
        // opening and closing treat the server as lost.
        source = try? DescriptorSource(descriptor, interest) { [weak self] readiness in
            self?.report(readiness)
        }
    }

    private func report(_ readiness: Readiness) {
        // A copy: callbacks add and free events.
        for event in events { event.report(readiness) }
    }
}

/// `pa_time_event`: one shot at a time of the wall clock.
@EventLoop
final class TimeEvent {
    var destroy: pa_time_event_destroy_cb_t?
    private let callback: pa_time_event_cb_t?
    private let userdata: UnsafeMutableRawPointer?
    private var time = timeval()
    private var timer: TimerSource?

    init(_ time: timeval?, _ callback: pa_time_event_cb_t?, _ userdata: UnsafeMutableRawPointer?) {
        self.callback = callback
        self.userdata = userdata
        timer = TimerSource { [weak self] in self?.fired() }
        restart(time)
    }

    func restart(_ time: timeval?) {
        guard let time else {
            timer?.disarm()
            return
        }
        self.time = time
        var now = timeval()
        // Cannot fail with a valid pointer (gettimeofday(2)).
        _ = gettimeofday(&now, nil)
        let delay =
            Duration.seconds(time.tv_sec - now.tv_sec) + .microseconds(time.tv_usec - now.tv_usec)
        // libpulse counts in wall-clock time on loops that are not its own; the timer is monotonic, so that
        // setting the clock moves no time limit that runs already.
        timer?.arm(after: max(.zero, delay))
    }

    func free() {
        timer?.disarm()
        timer = nil
        destroy?(LoopAdapter.api, opaque(self), userdata)
    }

    private func fired() {
        // A copy: the call may set the time anew.
        var time = time
        callback?(LoopAdapter.api, opaque(self), &time, userdata)
    }
}

/// `pa_defer_event`: called in every turn of the loop while enabled.
@EventLoop
final class DeferEvent {
    var destroy: pa_defer_event_destroy_cb_t?
    private let callback: pa_defer_event_cb_t?
    private let userdata: UnsafeMutableRawPointer?
    private var source: DeferredSource?

    init(_ callback: pa_defer_event_cb_t?, _ userdata: UnsafeMutableRawPointer?) {
        self.callback = callback
        self.userdata = userdata
        source = DeferredSource { [weak self] in self?.turned() }
        enable(true)
    }

    func enable(_ isEnabled: Bool) {
        if isEnabled {
            source?.trigger()
        } else {
            source?.cancel()
        }
    }

    func free() {
        source?.cancel()
        source = nil
        destroy?(LoopAdapter.api, opaque(self), userdata)
    }

    private func turned() {
        // Asked for anew before the call, because the call may disable or free the event.
        source?.trigger()
        callback?(LoopAdapter.api, opaque(self), userdata)
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
