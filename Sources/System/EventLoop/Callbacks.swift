/// The context pointer of a C callback. The code that registers the callback keeps the object alive, and
/// unregisters the callback before it is released.
package func unretained(_ object: AnyObject) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object).toOpaque()
}

/// Enters the loop's isolation from a callback of a library that is called, and calls back, on the loop's
/// thread only.
package func onLoop<Object: AnyObject>(
    _ context: UnsafeMutableRawPointer?,
    as type: Object.Type,
    _ body: @EventLoop (Object) -> Void
) {
    guard let context else { return }
    // A strong reference during the call: the callback may drop the last other one.
    // Same thread, so nothing is sent: assumeIsolated checks it.
    nonisolated(unsafe) let object = Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
    EventLoop.assumeIsolated { body(object) }
}
