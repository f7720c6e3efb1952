import CEvdev
package import EventLoop
import Glibc

/// An event of an opened device.
package enum KeyDeviceEvent: Equatable, Sendable {
    case key(KeyEvent)
    /// A plug was put in, pulled, or recognised as another kind.
    case jackChanged
    /// The kernel's buffer overflowed. Keys may have been pressed and released unseen; differences from the
    /// state before follow as resynchronised events.
    case eventsLost
    /// The requested grab is in effect.
    case grabbed
    /// The requested grab failed; `EBUSY` if another program has grabbed the device.
    case grabRefused(SystemError)
    /// The device was unplugged, or access to it was revoked. This is the last event. Keys that are down may
    /// or may not be released before it: the kernel releases them, but refuses reads as soon as the device
    /// has gone.
    case vanished
    /// It cannot be read, although nobody has said that it is gone. This is the last event.
    case failed(SystemError)
}

/// An opened device that reports keys.
@EventLoop
package protocol KeySource: AnyObject {
    /// Requests exclusive access.
    func grab()
    /// Ends exclusive access, or cancels a waiting ``grab()``.
    func ungrab()
    /// Closes the device. Its handler is not called again.
    func close()
}

/// A few keys of one device, and the switches of a jack, read through libevdev.
///
/// The kernel delivers nothing else, so that this process neither sees nor is woken by any other key.
/// Timestamps are on `CLOCK_MONOTONIC`.
@EventLoop
package final class KeyDevice: KeySource {
    package enum Grab: Sendable {
        case off
        /// Requested. It takes effect as soon as no key is down.
        case waiting
        case held
    }

    package let node: InputNode
    /// The wanted keys that the device has.
    let availableKeys: Set<KeyCode>
    /// The state of the grab of the device.
    package private(set) var grabState = Grab.off

    private let handler: @EventLoop (KeyDeviceEvent) -> Void
    private var decoder: KeyEventDecoder
    private var device: OpaquePointer?
    private var source: DescriptorSource?
    private lazy var deferredRead = DeferredSource { [weak self] in self?.readEvents() }
    /// True if the state of all keys has to be queried before the grab.
    private var needsKeyStates = false

    /// Opens the node, unless it is a keyboard. The handler is called in the order of the events, never from
    /// within a call to this object.
    ///
    /// - Throws: `EPERM` for a keyboard, `EACCES` if the user has no access to the node, `ENODEV` or `ENOENT`
    ///   if it has been removed, `ENOTTY` if it is not an event device.
    package init(
        _ node: InputNode,
        keys: Set<KeyCode>,
        handler: @escaping @EventLoop (KeyDeviceEvent) -> Void
    ) throws(SystemError) {
        let label = "\(node.devnode) (\(node.name))"
        guard !node.isKeyboardLike else { throw Self.keyboardRefusal(label) }
        let device = try openedDevice(node.devnode, label)
        self.node = node
        self.device = device
        self.handler = handler
        let present = keys.filter { hasKey($0, device) }
        availableKeys = present
        decoder = KeyEventDecoder(wanted: keys, held: present.filter { isDown($0, device) })

        // The node may have been reused since udev described it.
        guard !allKeys(of: device).canTypeText else { throw Self.keyboardRefusal(label) }
        var result = libevdev_set_clock_id(device, CLOCK_MONOTONIC)
        if result >= 0 { result = limitKeys(device, to: present) }
        guard result >= 0 else { throw SystemError("set up \(label)", -result) }
        source = try DescriptorSource(libevdev_get_fd(device), .readable) { [weak self] _ in
            self?.readEvents()
        }
    }

    isolated deinit { close() }

    /// Requests exclusive access (EVIOCGRAB). It takes effect in a later iteration of the loop, when no key
    /// of the device is down: otherwise other readers would never see the release of a key that they saw
    /// pressed. ``KeyDeviceEvent/grabbed`` or ``KeyDeviceEvent/grabRefused(_:)`` reports the result. The grab
    /// ends with this object, and with the process however it ends.
    package func grab() {
        guard let device, grabState == .off else { return }
        grabState = .waiting
        // Now all keys matter, and the release of any of them must wake us up. The mask is widened before the
        // key states are queried, so that no release is missed in between. If this fails, the device is being
        // removed, and the next read reports that.
        _ = limitKeys(device, to: allKeys(of: device))
        needsKeyStates = true
        deferredRead.trigger()
    }

    package func ungrab() {
        guard let device, grabState != .off else { return }
        // Fails only if the device is being removed, which ends the grab too.
        if grabState == .held { _ = libevdev_grab(device, LIBEVDEV_UNGRAB) }
        endGrab(.off)
    }

    package func close() {
        deferredRead.cancel()
        source?.cancel()
        source = nil
        grabState = .off
        guard let device else { return }
        self.device = nil
        closeDevice(device)
    }

    /// Reads all pending events, then completes a waiting grab.
    private func readEvents() {
        guard readAll(), grabState == .waiting else { return }
        if needsKeyStates {
            needsKeyStates = false
            guard readDifferences(), grabState == .waiting else { return }
        }
        guard let device, !isAnyKeyDown(device) else { return }
        let result = libevdev_grab(device, LIBEVDEV_GRAB)
        guard result >= 0 else {
            endGrab(.off)
            return handler(.grabRefused(SystemError("grab \(node.devnode) (\(node.name))", -result)))
        }
        // A key may have been pressed just before: then other readers have seen that, and must see the
        // release too.
        guard readDifferences(), grabState == .waiting, !isAnyKeyDown(device) else {
            if let device = self.device { _ = libevdev_grab(device, LIBEVDEV_UNGRAB) }
            return
        }
        endGrab(.held)
        handler(.grabbed)
    }

    private func endGrab(_ state: Grab) {
        grabState = state
        needsKeyStates = false
        // Fails only if the device is being removed.
        if let device { _ = limitKeys(device, to: availableKeys) }
    }

    /// Queries the kernel for the keys that are down, and reads the differences.
    ///
    /// - Returns: True if everything was read, and the device still exists.
    private func readDifferences() -> Bool {
        guard let device else { return false }
        let start = startOfDifferences(device)
        return readAll(from: start) && start == .requeried
    }

    /// - Parameter first: The result of a read before.
    /// - Returns: True if everything was read, and the device still exists.
    private func readAll(from first: KeyEventDecoder.Reading? = nil) -> Bool {
        var first = first
        // Other sources are dispatched between two batches, however fast a device sends.
        for _ in 0..<512 {
            // The handler may have closed the device.
            guard let device else { return false }
            let reading = first.take() ?? nextReading(device, decoder.mode)
            switch decoder.handle(reading, at: .now) {
            case .readOn: break
            case .wait: return true
            case .event(let event): handler(event)
            case .vanished:
                close()
                handler(.vanished)
                return false
            }
        }
        // libevdev has buffered events, for which epoll will not report the descriptor again.
        deferredRead.trigger()
        return false
    }

    private static func keyboardRefusal(_ label: String) -> SystemError {
        SystemError("open \(label), because it is a keyboard", EPERM)
    }
}
