import CDBus
import EventLoop

/// The descriptors that libdbus wants watched, as sources of the loop.
///
/// libdbus has one watch for reading and one for writing on the same socket, `epoll` one entry per
/// descriptor; so watches are grouped by descriptor.
@EventLoop
final class Watches {
    private struct Descriptor {
        var watches: [OpaquePointer] = []
        var source: DescriptorSource?
    }

    /// Whether libdbus is at work on a descriptor, and dispatching will follow.
    private(set) var isHandling = false

    private var descriptors: [Int32: Descriptor] = [:]
    private let handled: @EventLoop () -> Void

    /// - Parameter handled: Called after libdbus has worked on a descriptor, outside of its callbacks.
    init(handled: @escaping @EventLoop () -> Void) {
        self.handled = handled
    }

    /// Starts to watch for `connection`, which must be told ``detach(from:)`` before this object goes.
    func attach(to connection: OpaquePointer) {
        // False means no memory; then there are no watches, and the first call runs into its time limit.
        _ = dbus_connection_set_watch_functions(
            connection,
            { watch, context in dbus_bool_t(with(context, watch) { $0.add($1) } ? 1 : 0) },
            { watch, context in _ = with(context, watch) { $0.remove($1) } },
            { watch, context in _ = with(context, watch) { $0.refresh(dbus_watch_get_unix_fd($1)) } },
            Unmanaged.passUnretained(self).toOpaque(),
            nil
        )
    }

    /// Makes libdbus remove all its watches.
    func detach(from connection: OpaquePointer) {
        _ = dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        descriptors = [:]
    }

    private func add(_ watch: OpaquePointer) -> Bool {
        let number = dbus_watch_get_unix_fd(watch)
        descriptors[number, default: Descriptor()].watches.append(watch)
        return refresh(number)
    }

    private func remove(_ watch: OpaquePointer) -> Bool {
        let number = dbus_watch_get_unix_fd(watch)
        descriptors[number]?.watches.removeAll { $0 == watch }
        return refresh(number)
    }

    private func refresh(_ number: Int32) -> Bool {
        guard var descriptor = descriptors[number] else { return true }
        let interest = descriptor.watches.reduce(into: Readiness()) { interest, watch in
            guard dbus_watch_get_enabled(watch) != 0 else { return }
            let flags = dbus_watch_get_flags(watch)
            if flags & DBUS_WATCH_READABLE.rawValue != 0 { interest.insert(.readable) }
            if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { interest.insert(.writable) }
        }
        defer { descriptors[number] = descriptor.watches.isEmpty ? nil : descriptor }
        guard !interest.isEmpty else {
            // Without interest `epoll` would still report a hang-up, again and again.
            descriptor.source?.cancel()
            descriptor.source = nil
            return true
        }
        if let source = descriptor.source {
            source.interest = interest
            return true
        }
        do throws(SystemError) {
            descriptor.source = try DescriptorSource(number, interest) { [weak self] readiness in
                self?.ready(number, readiness)
            }
            return true
        } catch {
            // libdbus takes false as "no memory" and gives the connection up.
            return false
        }
    }

    private func ready(_ number: Int32, _ readiness: Readiness) {
        var flags: UInt32 = 0
        if readiness.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
        if readiness.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if readiness.contains(.failed) { flags |= DBUS_WATCH_ERROR.rawValue }
        if readiness.contains(.hungUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
        let errors = DBUS_WATCH_ERROR.rawValue | DBUS_WATCH_HANGUP.rawValue
        isHandling = true
        for watch in descriptors[number]?.watches ?? [] {
            // Handling one watch may have removed or disabled the next.
            guard descriptors[number]?.watches.contains(watch) == true, dbus_watch_get_enabled(watch) != 0
            else { continue }
            let relevant = flags & (dbus_watch_get_flags(watch) | errors)
            // False means no memory; the descriptor is still ready then, so the next turn tries again.
            if relevant != 0 { _ = dbus_watch_handle(watch, relevant) }
        }
        isHandling = false
        handled()
    }
}

/// libdbus calls back on the loop's thread only: nothing else ever calls libdbus.
private func with(
    _ context: UnsafeMutableRawPointer?,
    _ watch: OpaquePointer?,
    _ body: @EventLoop (Watches, OpaquePointer) -> Bool
) -> Bool {
    guard let context, let watch else { return false }
    let watches = Unmanaged<Watches>.fromOpaque(context).takeUnretainedValue()
    nonisolated(unsafe) let sent = watch
    return EventLoop.assumeIsolated { body(watches, sent) }
}
