import CEvdev
package import EventLoop
import Glibc

/// What an opened device tells.
package enum KeyDeviceEvent: Equatable, Sendable {
    case key(KeyEvent)
    /// The grab that was asked for is in effect.
    case grabbed
    /// The grab that was asked for cannot be had; `EBUSY` if another program has it.
    case grabRefused(SystemError)
    /// Unplugged, or access taken away. Comes once and as the last event. Keys that are down may or may not be
    /// released before it: the kernel lifts them first, but refuses reads as soon as the device has gone.
    case vanished
}

/// A few keys of one device, read through libevdev.
///
/// The kernel passes on only the wanted keys, so that no other key wakes the process or can be seen by it.
/// Timestamps are on `CLOCK_MONOTONIC`.
@EventLoop
package final class KeyDevice {
    package enum Grab: Sendable {
        case off
        /// Asked for. A key is down; it takes effect when all are up.
        case waiting
        case held
    }

    package let node: InputNode
    /// The wanted keys that the device has.
    package let availableKeys: Set<KeyCode>
    package private(set) var grabState = Grab.off

    private let handler: @EventLoop (KeyDeviceEvent) -> Void
    private var decoder: KeyEventDecoder
    private var device: OpaquePointer?
    private var source: DescriptorSource?
    private lazy var laterTurn = DeferredSource { [weak self] in self?.work() }
    private var mustAskForAllKeys = false

    /// Opens the node.
    ///
    /// - Parameters:
    ///   - node: From ``DeviceMonitor``. A keyboard is refused without opening it.
    ///   - keys: The wanted keys.
    ///   - handler: Called in the order of the events, never from within a call to this object.
    /// - Throws: `EPERM` for a keyboard, `EACCES` if the user has no access to the node, `ENODEV` or `ENOENT`
    ///   if it has gone, `ENOTTY` if it is no event device.
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
        guard !KeyBits(allKeys(of: device)).canTypeText else { throw Self.keyboardRefusal(label) }
        var result = libevdev_set_clock_id(device, CLOCK_MONOTONIC)
        if result >= 0 { result = limitKeys(device, to: KeyBits(present)) }
        guard result >= 0 else { throw SystemError("set up \(label)", -result) }
        source = try DescriptorSource(libevdev_get_fd(device), .readable) { [weak self] _ in self?.work() }
    }

    isolated deinit { close() }

    /// The wanted keys that are down. A level, not an edge: they may have been down before the device was opened.
    package var heldKeys: Set<KeyCode> { decoder.held }

    package var isGrabbed: Bool { grabState == .held }

    /// Asks for all events of the device to come here only. It takes effect in a later turn of the loop, when no
    /// key of the device is down: other readers would never see the release of a key that they saw pressed.
    /// ``KeyDeviceEvent/grabbed`` or ``KeyDeviceEvent/grabRefused(_:)`` tells. The grab ends with this object or
    /// the process, however it ends.
    package func grab() {
        guard let device, grabState == .off else { return }
        grabState = .waiting
        // All keys count now, and the releases of all must wake us up. Limits first, state second: so no
        // release can fall between the two. If this fails the device is going, and the next reading tells.
        _ = limitKeys(device, to: KeyBits(allKeys(of: device)))
        mustAskForAllKeys = true
        laterTurn.trigger()
    }

    /// Gives the device back to everyone, or takes a waiting ``grab()`` back.
    package func ungrab() {
        guard let device, grabState != .off else { return }
        // Can fail only if the device is going, which ends the grab too.
        if grabState == .held { _ = libevdev_grab(device, LIBEVDEV_UNGRAB) }
        endGrab(.off)
    }

    /// Closes the node. No event follows.
    package func close() {
        laterTurn.cancel()
        source?.cancel()
        source = nil
        grabState = .off
        guard let device else { return }
        self.device = nil
        closeDevice(device)
    }

    /// Reads what there is, then sees to a waiting grab.
    private func work() {
        guard readAll(), grabState == .waiting else { return }
        if mustAskForAllKeys {
            mustAskForAllKeys = false
            guard readDifferences(), grabState == .waiting else { return }
        }
        guard let device, !isAnyKeyDown(device) else { return }
        let result = libevdev_grab(device, LIBEVDEV_GRAB)
        guard result >= 0 else {
            endGrab(.off)
            return handler(.grabRefused(SystemError("grab \(node.devnode) (\(node.name))", -result)))
        }
        // A key may have been pressed just before: then others have seen that, and must see the release too.
        guard readDifferences(), grabState == .waiting, !isAnyKeyDown(device) else {
            if let device = self.device { _ = libevdev_grab(device, LIBEVDEV_UNGRAB) }
            return
        }
        endGrab(.held)
        handler(.grabbed)
    }

    private func endGrab(_ state: Grab) {
        grabState = state
        mustAskForAllKeys = false
        // As in `grab`: it can fail only if the device is going.
        if let device { _ = limitKeys(device, to: KeyBits(availableKeys)) }
    }

    /// Asks the kernel which keys are down, without waiting for it to tell.
    ///
    /// - Returns: As ``readAll()``.
    private func readDifferences() -> Bool {
        guard let device else { return false }
        return act(on: decoder.handle(startOfDifferences(device), at: .now)) == .reading && readAll()
    }

    private enum Progress {
        case reading, done, gone
    }

    /// - Returns: Whether everything was read, and the device is still there.
    private func readAll() -> Bool {
        // Others on the loop get their turn between two portions, however fast a device sends.
        for _ in 0..<512 {
            guard let device else { return false }
            let reading = nextReading(device, decoder.mode)
            switch act(on: decoder.handle(reading, at: .now)) {
            case .reading: continue
            case .done: return true
            case .gone: return false
            }
        }
        // libevdev has read events from the descriptor that epoll will not tell about again.
        laterTurn.trigger()
        return false
    }

    private func act(on outcome: KeyEventDecoder.Outcome) -> Progress {
        switch outcome {
        case .readOn:
            return .reading
        case .wait:
            return .done
        case .key(let event):
            handler(.key(event))
            return device == nil ? .gone : .reading
        case .vanished:
            close()
            handler(.vanished)
            return .gone
        }
    }

    private static func keyboardRefusal(_ label: String) -> SystemError {
        SystemError("open \(label), because somebody may type on it", EPERM)
    }
}
