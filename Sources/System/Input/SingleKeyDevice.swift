import CEvdev
import CLinux
package import EventLoop
import Glibc

/// One key of a device, of which this process must not see any other: a pedal or a presenter that calls
/// itself a keyboard.
///
/// The kernel delivers only events of the key (EVIOCSMASK). It would answer a query for the state of the keys
/// with all of them, so that none is made, and libevdev, which makes them when it opens a device and after
/// lost events, is not used. Therefore a key that is down when the device is opened, or when events are lost,
/// counts as released until it is pressed again.
@EventLoop
package final class SingleKeyDevice: KeySource {
    private let key: KeyCode

    private let handler: @EventLoop (KeyDeviceEvent) -> Void
    private var decoder: KeyEventDecoder
    /// After `SYN_DROPPED`, events up to the end of the report are incomplete
    /// (Documentation/input/event-codes.rst).
    private var isSkippingReport = false
    /// Negative when closed.
    private(set) var descriptor: Int32 = -1
    private var source: DescriptorSource?

    /// Opens the node. The handler is called in the order of the events, never from within a call to this
    /// object.
    ///
    /// - Throws: `ENXIO` if the device does not have the key, `EACCES` if the user has no access to the node,
    ///   `ENODEV` or `ENOENT` if it has been removed, `ENOTTY` if it is not an event device.
    package init(
        _ node: InputNode,
        key: KeyCode,
        handler: @escaping @EventLoop (KeyDeviceEvent) -> Void
    ) throws(SystemError) {
        let label = "\(node.devnode) (\(node.name))"
        guard node.keys.contains(key) else { throw SystemError("find \(key) on \(label)", ENXIO) }
        let descriptor = OwnedDescriptor(
            adopting: open(node.devnode, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        )
        guard descriptor.value >= 0 else { throw SystemError("open \(label)") }
        self.key = key
        self.handler = handler
        decoder = KeyEventDecoder(wanted: [key])
        let value = descriptor.value
        // Changing the clock discards what was buffered before the mask was set (drivers/input/evdev.c).
        let result = limitEvents(value, to: [key], [])
        guard result == 0 else { throw SystemError("set up \(label)", -result) }
        guard clinux_evdev_set_clock(value, CLOCK_MONOTONIC) == 0 else {
            throw SystemError("set up \(label)")
        }
        self.descriptor = descriptor.release()
        source = try DescriptorSource(value, .readable) { [weak self] _ in self?.readEvents() }
    }

    isolated deinit { close() }

    /// Nothing: a grab would take the other keys of the device from every program.
    package func grab() {}

    package func ungrab() {}

    package func close() {
        source?.cancel()
        source = nil
        guard descriptor >= 0 else { return }
        _ = OwnedDescriptor(adopting: descriptor)
        descriptor = -1
    }

    /// Reads one batch. The source fires again while there are more.
    private func readEvents() {
        withUnsafeTemporaryAllocation(of: input_event.self, capacity: 32) { buffer in
            let size = MemoryLayout<input_event>.stride
            let count = read(descriptor, buffer.baseAddress, buffer.count * size)
            // After EINTR the source fires again. After any other error a release could be missed.
            guard count >= 0 else { return errno == EINTR || errno == EAGAIN ? () : vanished() }
            guard count > 0 else { return vanished() }
            for event in buffer[..<(count / size)] {
                guard descriptor >= 0 else { return }
                handle(event)
            }
        }
    }

    private func handle(_ event: input_event) {
        if Int32(event.type) == EV_SYN {
            guard Int32(event.code) == SYN_DROPPED else {
                isSkippingReport = false
                return
            }
            isSkippingReport = true
            let wasDown = !decoder.held.isEmpty
            decoder = KeyEventDecoder(wanted: [key])
            handler(.eventsLost)
            guard wasDown, descriptor >= 0 else { return }
            return handler(.key(KeyEvent(key: key, edge: .released, time: .now, isResynchronised: true)))
        }
        guard !isSkippingReport else { return }
        if case .event(let event) = decoder.handle(.event(RawEvent(event)), at: .now) { handler(event) }
    }

    private func vanished() {
        close()
        handler(.vanished)
    }
}
