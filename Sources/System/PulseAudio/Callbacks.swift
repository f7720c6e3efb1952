import EventLoop

/// The context pointer of a C callback whose object is kept alive by whoever registered it.
func unretained(_ object: AnyObject) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object).toOpaque()
}

/// Enters the loop's isolation from a callback of libpulse, which calls from our own loop only.
func onLoop<Object: AnyObject>(
    _ context: UnsafeMutableRawPointer?,
    _ type: Object.Type,
    _ body: @EventLoop (Object) -> Void
) {
    guard let context else { return }
    // Strong for the time of the call: the callback may drop the last other reference.
    // Same thread, so nothing is sent: assumeIsolated checks it.
    nonisolated(unsafe) let object = Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
    EventLoop.assumeIsolated { body(object) }
}
