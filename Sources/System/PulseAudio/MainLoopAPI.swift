import CPulse
import EventLoop
import Glibc

/// libpulse's main loop API (`pulse/mainloop-api.h`), implemented with our event loop.
///
/// An idle connection is one watched descriptor, with no timer armed and no deferred event enabled.
@EventLoop
enum MainLoopAPI {
    /// Never freed, because contexts refer to it.
    static let pointer: UnsafeMutablePointer<pa_mainloop_api> = {
        let api = UnsafeMutablePointer<pa_mainloop_api>.allocate(capacity: 1)
        api.initialize(to: pa_mainloop_api())
        setDescriptorCalls(&api.pointee)
        setTimeCalls(&api.pointee)
        setDeferCalls(&api.pointee)
        // libpulse must not end our loop.
        api.pointee.quit = { _, _ in }
        return api
    }()

    private static func setDescriptorCalls(_ api: inout pa_mainloop_api) {
        api.io_new = { _, descriptor, flags, callback, userdata in
            nonisolated(unsafe) let call = (callback, userdata)
            return EventLoop.assumeIsolated {
                retained(IOEvent(descriptor, Readiness(flags), callback: call.0, userdata: call.1))
            }
        }
        api.io_enable = { event, flags in
            with(event, as: IOEvent.self) { $0.enable(Readiness(flags)) }
        }
        api.io_free = freeEvent
        api.io_set_destroy = setDestroy
    }

    private static func setTimeCalls(_ api: inout pa_mainloop_api) {
        api.time_new = { _, time, callback, userdata in
            nonisolated(unsafe) let call = (callback, userdata)
            let time = time?.pointee
            return EventLoop.assumeIsolated {
                retained(TimeEvent(time, callback: call.0, userdata: call.1))
            }
        }
        api.time_restart = { event, time in
            let time = time?.pointee
            with(event, as: TimeEvent.self) { $0.restart(time) }
        }
        api.time_free = freeEvent
        api.time_set_destroy = setDestroy
    }

    private static func setDeferCalls(_ api: inout pa_mainloop_api) {
        api.defer_new = { _, callback, userdata in
            nonisolated(unsafe) let call = (callback, userdata)
            return EventLoop.assumeIsolated { retained(DeferEvent(callback: call.0, userdata: call.1)) }
        }
        api.defer_enable = { event, isEnabled in
            with(event, as: DeferEvent.self) { $0.enable(isEnabled != 0) }
        }
        api.defer_free = freeEvent
        api.defer_set_destroy = setDestroy
    }
}

private func retained(_ event: AnyObject) -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(event).toOpaque())
}

private func with<Event: AnyObject>(
    _ pointer: OpaquePointer?,
    as type: Event.Type,
    _ body: @EventLoop (Event) -> Void
) {
    onLoop(pointer.map(UnsafeMutableRawPointer.init), as: type, body)
}

private func setDestroy(_ event: OpaquePointer?, _ destroy: pa_io_event_destroy_cb_t?) {
    with(event, as: LibpulseEvent.self) { $0.destroy = destroy }
}

private func freeEvent(_ event: OpaquePointer?) {
    with(event, as: LibpulseEvent.self) { $0.free() }
    guard let event else { return }
    Unmanaged<LibpulseEvent>.fromOpaque(UnsafeRawPointer(event)).release()
}
