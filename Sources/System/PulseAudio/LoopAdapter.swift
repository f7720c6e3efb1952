import CPulse
import EventLoop
import Glibc

/// Our event loop in the terms of libpulse (`pulse/mainloop-api.h`).
///
/// Nothing here runs unless libpulse asked for it: an idle connection is one watched descriptor, with no
/// timer armed and no deferred event enabled.
@EventLoop
enum LoopAdapter {
    /// Lives as long as the process, because contexts refer to it.
    static let api: UnsafeMutablePointer<pa_mainloop_api> = {
        let api = UnsafeMutablePointer<pa_mainloop_api>.allocate(capacity: 1)
        api.initialize(to: pa_mainloop_api())
        setDescriptorCalls(&api.pointee)
        setTimeCalls(&api.pointee)
        setDeferCalls(&api.pointee)
        // Only whoever runs the loop may end it.
        api.pointee.quit = { _, _ in }
        return api
    }()

    private static func setDescriptorCalls(_ api: inout pa_mainloop_api) {
        api.io_new = { _, descriptor, flags, callback, userdata in
            nonisolated(unsafe) let call = (callback, userdata)
            return EventLoop.assumeIsolated {
                retained(IOEvent(descriptor, Readiness(flags), call.0, call.1))
            }
        }
        api.io_enable = { event, flags in
            with(event, IOEvent.self) { $0.enable(Readiness(flags)) }
        }
        api.io_free = { event in
            with(event, IOEvent.self) { $0.free() }
            release(event, IOEvent.self)
        }
        api.io_set_destroy = { event, destroy in
            with(event, IOEvent.self) { $0.destroy = destroy }
        }
    }

    private static func setTimeCalls(_ api: inout pa_mainloop_api) {
        api.time_new = { _, time, callback, userdata in
            nonisolated(unsafe) let call = (callback, userdata)
            let time = time?.pointee
            return EventLoop.assumeIsolated { retained(TimeEvent(time, call.0, call.1)) }
        }
        api.time_restart = { event, time in
            let time = time?.pointee
            with(event, TimeEvent.self) { $0.restart(time) }
        }
        api.time_free = { event in
            with(event, TimeEvent.self) { $0.free() }
            release(event, TimeEvent.self)
        }
        api.time_set_destroy = { event, destroy in
            with(event, TimeEvent.self) { $0.destroy = destroy }
        }
    }

    private static func setDeferCalls(_ api: inout pa_mainloop_api) {
        api.defer_new = { _, callback, userdata in
            nonisolated(unsafe) let call = (callback, userdata)
            return EventLoop.assumeIsolated { retained(DeferEvent(call.0, call.1)) }
        }
        api.defer_enable = { event, isEnabled in
            with(event, DeferEvent.self) { $0.enable(isEnabled != 0) }
        }
        api.defer_free = { event in
            with(event, DeferEvent.self) { $0.free() }
            release(event, DeferEvent.self)
        }
        api.defer_set_destroy = { event, destroy in
            with(event, DeferEvent.self) { $0.destroy = destroy }
        }
    }
}

/// libpulse owns its events until it frees them.
private func retained(_ event: AnyObject) -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(event).toOpaque())
}

private func with<Event: AnyObject>(
    _ pointer: OpaquePointer?,
    _ type: Event.Type,
    _ body: @EventLoop (Event) -> Void
) {
    onLoop(pointer.map(UnsafeMutableRawPointer.init), type, body)
}

private func release<Event: AnyObject>(_ pointer: OpaquePointer?, _ type: Event.Type) {
    guard let pointer else { return }
    Unmanaged<Event>.fromOpaque(UnsafeRawPointer(pointer)).release()
}
