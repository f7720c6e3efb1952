import CEvdev
package import EventLoop
import Glibc

/// An input device that was grabbed and created again as two: one with a few of its keys, the other with the
/// rest.
///
/// The kernel grabs all keys of a device or none. Of the two, another program can grab the few keys, while
/// the desktop goes on receiving the volume keys. If this object or its process ends, however it ends, the
/// kernel ends the grab and both devices, and releases their keys.
@EventLoop
package final class SplitDevice {
    package enum Event: Equatable, Sendable {
        /// The two devices exist.
        case split
        /// Another program has grabbed the device. It is tried again when a key is released: no key arrives
        /// here while the other program holds the grab.
        case refused(SystemError)
        /// The two devices could not be made. It is tried again when a key is released.
        case failed(SystemError)
        /// Events were lost. The two devices were removed, so that no key stays down, and are made again.
        case eventsLost
        /// The device was unplugged. This is the last event.
        case vanished
    }

    package let node: InputNode
    /// The few keys.
    package let keys: Set<KeyCode>
    private let handler: @EventLoop (Event) -> Void
    private var device: OpaquePointer?
    private var source: DescriptorSource?
    private lazy var deferredRead = DeferredSource { [weak self] in self?.readEvents() }
    private var halves: Halves?

    private struct Halves {
        let few: VirtualDevice
        let rest: VirtualDevice
    }

    /// Opens the device. It is grabbed in a later iteration of the loop, as soon as none of its keys is down:
    /// otherwise readers that saw a press would never see its release. The handler is called in the order of
    /// the events, never from within a call to this object.
    ///
    /// - Throws: If the device cannot be opened.
    package init(
        _ node: InputNode,
        keys: Set<KeyCode>,
        handler: @escaping @EventLoop (Event) -> Void
    ) throws(SystemError) {
        let label = "\(node.devnode) (\(node.name))"
        let device = try openedDevice(node.devnode, label, isWritable: true)
        // The node may have been reused since udev described it.
        guard node.isKeyboardLike || !allKeys(of: device).canTypeText else {
            closeDevice(device)
            throw SystemError("divide \(label), because it is a keyboard", EPERM)
        }
        self.node = node
        self.keys = keys
        self.handler = handler
        self.device = device
        source = try DescriptorSource(libevdev_get_fd(device), .readable) { [weak self] _ in
            self?.readEvents()
        }
        deferredRead.trigger()
    }

    isolated deinit { close() }

    /// Removes the two devices, and gives the original back.
    package func close() {
        halves = nil
        deferredRead.cancel()
        source?.cancel()
        source = nil
        guard let device else { return }
        self.device = nil
        closeDevice(device)
    }

    private func readEvents() {
        // Other sources are dispatched between two batches, however fast a device sends.
        for _ in 0..<512 {
            guard let device else { return }
            var event = input_event()
            let status = libevdev_next_event(device, LIBEVDEV_READ_FLAG_NORMAL.rawValue, &event)
            switch status {
            case -EAGAIN:
                return splitIfIdle(device)
            case -EINTR:
                return
            case ..<0:
                close()
                return handler(.vanished)
            case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue):
                lose(device)
            default:
                forward(event)
                let isRelease = Int32(event.type) == EV_KEY && event.value == 0
                if isRelease { isWaiting = false }
            }
        }
        // libevdev has buffered events, for which epoll will not report the descriptor again.
        deferredRead.trigger()
    }

    /// After a failure: until a key is released.
    private var isWaiting = false

    private func splitIfIdle(_ device: OpaquePointer) {
        guard halves == nil, !isWaiting, !isAnyKeyDown(device) else { return }
        let result = libevdev_grab(device, LIBEVDEV_GRAB)
        guard result >= 0 else {
            isWaiting = true
            return handler(.refused(SystemError("grab \(node.devnode) (\(node.name))", -result)))
        }
        do throws(SystemError) {
            let made = Halves(few: try half(device, .few), rest: try half(device, .rest))
            // What the desktop shows on the keys is shown by the device itself.
            try made.rest.receive { [weak self] type, code, value in
                guard let device = self?.device, type == EV_LED else { return }
                // Fails only if the device is being removed.
                _ = libevdev_kernel_set_led_value(
                    device,
                    UInt32(code),
                    value == 0 ? LIBEVDEV_LED_OFF : LIBEVDEV_LED_ON
                )
            }
            for contact in closedJackSwitches(of: device) {
                try made.few.send(type: EV_SW, code: contact.rawValue, value: 1)
                try made.rest.send(type: EV_SW, code: contact.rawValue, value: 1)
            }
            try made.few.sendReport()
            try made.rest.sendReport()
            halves = made
            handler(.split)
        } catch {
            // Fails only if the device is being removed.
            _ = libevdev_grab(device, LIBEVDEV_UNGRAB)
            isWaiting = true
            handler(.failed(error))
        }
    }

    private func forward(_ event: input_event) {
        guard let halves else { return }
        let (type, code, value) = (Int32(event.type), Int32(event.code), event.value)
        do throws(SystemError) {
            switch type {
            case EV_KEY:
                // 2 is autorepeat: the kernel repeats the keys of the half by itself.
                guard value != 2 else { return }
                let isFew = keys.contains(KeyCode(rawValue: event.code))
                try (isFew ? halves.few : halves.rest).send(type: type, code: code, value: value)
            case EV_SW:
                try halves.few.send(type: type, code: code, value: value)
                try halves.rest.send(type: type, code: code, value: value)
            case EV_REL, EV_ABS:
                try halves.rest.send(type: type, code: code, value: value)
            case EV_SYN where code == SYN_REPORT:
                // A report without events does not reach any reader.
                try halves.few.sendReport()
                try halves.rest.sendReport()
            default:
                break
            }
        } catch {
            // uinput refused an event, which may have been a release.
            abandon(halves)
            handler(.failed(error))
        }
    }

    /// A press, a release or a whole tap may be among the lost events. The halves are removed, which releases
    /// their keys, and ends what they had begun.
    private func lose(_ device: OpaquePointer) {
        var event = input_event()
        // libevdev asks the kernel for the states, and returns the differences one by one.
        while libevdev_next_event(device, LIBEVDEV_READ_FLAG_SYNC.rawValue, &event)
            == Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue)
        {}
        guard let halves else { return }
        abandon(halves)
        isWaiting = false
        handler(.eventsLost)
    }

    private func abandon(_ halves: Halves) {
        halves.few.remove()
        halves.rest.remove()
        self.halves = nil
        isWaiting = true
        // Fails only if the device is being removed, which ends the grab too.
        if let device { _ = libevdev_grab(device, LIBEVDEV_UNGRAB) }
    }

    private func half(_ device: OpaquePointer, _ part: InputNode.Half) throws(SystemError) -> VirtualDevice {
        let description = try describedDevice(
            node.name,
            node.id,
            keys: allKeys(of: device).filter { keys.contains($0) == (part == .few) },
            jack: allJackSwitches(of: device)
        )
        defer { libevdev_free(description) }
        if part == .rest {
            for (type, last) in [(EV_REL, REL_MAX), (EV_ABS, ABS_MAX), (EV_LED, LED_MAX)] {
                for code in 0...UInt32(last) where libevdev_has_event_code(device, UInt32(type), code) == 1 {
                    let range = type == EV_ABS ? libevdev_get_abs_info(device, code) : nil
                    libevdev_enable_event_code(description, UInt32(type), code, range)
                }
            }
            if libevdev_has_event_type(device, UInt32(EV_REP)) == 1 {
                libevdev_enable_event_type(description, UInt32(EV_REP))
            }
        }
        return try VirtualDevice(description, phys: part.phys(of: node))
    }
}

extension InputNode {
    /// A part of a device that ``SplitDevice`` has divided.
    package enum Half: String, Sendable {
        case few, rest

        fileprivate static let prefix = "split"

        /// The physical location names the part, the event node of the divided device, and that device's own
        /// location.
        fileprivate func phys(of node: InputNode) -> String {
            "\(Self.prefix)/\(rawValue)/\(node.sysname)/\(node.phys)"
        }
    }

    /// The half that it is, and of which device: the `sysname` of the divided one. Nil if it is none.
    package var half: (part: Half, of: String)? {
        let parts = phys.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == Half.prefix, let part = Half(rawValue: String(parts[1])) else {
            return nil
        }
        return (part, String(parts[2]))
    }
}
