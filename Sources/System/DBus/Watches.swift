import CDBus
import EventLoop

/// The watches of libdbus (`DBusWatch`), as one source of the loop.
///
/// libdbus has one watch for reading and one for writing on the socket of a connection, but `epoll` has one
/// entry per descriptor.
@EventLoop
final class Watches {
    /// True while libdbus is handling its socket, after which messages will be dispatched.
    private(set) var isHandling = false

    private var watches: [OpaquePointer] = []
    private var source: DescriptorSource?
    private let handled: @EventLoop () -> Void

    /// - Parameter handled: Called after libdbus has handled its socket, outside of its callbacks.
    init(handled: @escaping @EventLoop () -> Void) {
        self.handled = handled
    }

    /// Sets the watch functions of `connection`. ``detach(from:)`` must be called before this object is
    /// released.
    func attach(to connection: OpaquePointer) {
        // False means out of memory; then there are no watches, and the first call times out.
        _ = dbus_connection_set_watch_functions(
            connection,
            { watch, context in dbus_bool_t(with(context, watch: watch) { $0.add($1) } ? 1 : 0) },
            { watch, context in _ = with(context, watch: watch) { $0.remove($1) } },
            { watch, context in _ = with(context, watch: watch) { watches, _ in watches.refresh() } },
            unretained(self),
            nil
        )
    }

    /// Makes libdbus remove all its watches.
    func detach(from connection: OpaquePointer) {
        _ = dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        watches = []
        source = nil
    }

    private func add(_ watch: OpaquePointer) -> Bool {
        watches.append(watch)
        return refresh()
    }

    private func remove(_ watch: OpaquePointer) -> Bool {
        watches.removeAll { $0 == watch }
        return refresh()
    }

    private func refresh() -> Bool {
        let interest = watches.reduce(into: Readiness()) { interest, watch in
            guard dbus_watch_get_enabled(watch) != 0 else { return }
            let flags = dbus_watch_get_flags(watch)
            if flags & DBUS_WATCH_READABLE.rawValue != 0 { interest.insert(.readable) }
            if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { interest.insert(.writable) }
        }
        guard let watch = watches.first, !interest.isEmpty else {
            // Without interest `epoll` would still report a hang-up, again and again.
            source?.cancel()
            source = nil
            return true
        }
        if let source {
            source.interest = interest
            return true
        }
        do throws(SystemError) {
            source = try DescriptorSource(dbus_watch_get_unix_fd(watch), interest) { [weak self] in
                self?.ready($0)
            }
            return true
        } catch {
            // To libdbus false means out of memory, and it closes the connection.
            return false
        }
    }

    private func ready(_ readiness: Readiness) {
        var flags: UInt32 = 0
        if readiness.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
        if readiness.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if readiness.contains(.failed) { flags |= DBUS_WATCH_ERROR.rawValue }
        if readiness.contains(.hungUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
        let errors = DBUS_WATCH_ERROR.rawValue | DBUS_WATCH_HANGUP.rawValue
        isHandling = true
        for watch in watches {
            // Handling one watch may have removed or disabled the next.
            guard watches.contains(watch), dbus_watch_get_enabled(watch) != 0 else { continue }
            let relevant = flags & (dbus_watch_get_flags(watch) | errors)
            // False means out of memory; the descriptor is still ready then, so that the next iteration tries
            // again.
            if relevant != 0 { _ = dbus_watch_handle(watch, relevant) }
        }
        isHandling = false
        handled()
    }
}

/// libdbus calls back on the loop's thread only, because it is called only there.
private func with(
    _ context: UnsafeMutableRawPointer?,
    watch: OpaquePointer?,
    _ body: @EventLoop (Watches, OpaquePointer) -> Bool
) -> Bool {
    guard let context, let watch else { return false }
    let watches = Unmanaged<Watches>.fromOpaque(context).takeUnretainedValue()
    nonisolated(unsafe) let sent = watch
    return EventLoop.assumeIsolated { body(watches, sent) }
}
