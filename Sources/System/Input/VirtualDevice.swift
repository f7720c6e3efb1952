import CEvdev
import CLinux
package import EventLoop
import Glibc

/// An input device created with uinput: for the rest of the system one like any other. It ends with this
/// object, and with the process however that ends; the kernel then releases its keys.
@EventLoop
package final class VirtualDevice {
    /// The keys of an ordinary headset.
    package nonisolated static let usualKeys: Set<KeyCode> = [.playPause, .volumeUp, .volumeDown, .nextSong]

    package let name: String
    /// `/dev/input/event…`. udev sets its access rights shortly after.
    package let devnode: String
    private var device: OpaquePointer?
    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?

    /// - Parameters:
    ///   - description: The name, numbers, keys and switches, as libevdev describes a device. It is copied.
    ///   - phys: The physical location that the device reports.
    /// - Throws: `ENOENT` or `ENODEV` without the kernel module `uinput`, `EACCES` without permission to open
    ///   `/dev/uinput`.
    init(_ description: OpaquePointer, phys: String? = nil) throws(SystemError) {
        name = libevdev_get_name(description).map { String(cString: $0) } ?? ""
        let action = "create the input device \(name) with /dev/uinput"
        descriptor = OwnedDescriptor(adopting: open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC))
        guard descriptor.value >= 0 else { throw SystemError(action) }
        if let phys {
            guard clinux_uinput_set_phys(descriptor.value, phys) == 0 else { throw SystemError(action) }
        }
        var made: OpaquePointer?
        let result = libevdev_uinput_create_from_device(description, descriptor.value, &made)
        guard result >= 0, let made else { throw SystemError(action, -result) }
        device = made
        devnode = libevdev_uinput_get_devnode(made).map { String(cString: $0) } ?? ""
    }

    /// Plugs in a device with keys, switches of a jack, and the axes of a joystick.
    ///
    /// - Parameters:
    ///   - name: At most 79 bytes (`UINPUT_MAX_NAME_SIZE`).
    ///   - keys: The keys that it can send.
    ///   - jack: The switches that it has, all open at first.
    ///   - axes: The axes that it has, from -128 to 127: with buttons it is a joystick.
    ///   - id: Bus, vendor and product. A device of uinput has no parent on that bus.
    ///   - phys: The physical location that it reports, `ALSA` for the jack of a sound card.
    /// - Throws: As the other initialiser.
    package convenience init(
        name: String,
        keys: Set<KeyCode> = usualKeys,
        jack: Set<JackSwitch> = [],
        axes: [Int32] = [],
        id: InputNode.ID = .init(bus: InputNode.ID.usb),
        phys: String? = nil
    ) throws(SystemError) {
        let description = try describedDevice(name, id, keys: keys, jack: jack)
        defer { libevdev_free(description) }
        for axis in axes {
            var range = input_absinfo(value: 0, minimum: -128, maximum: 127, fuzz: 0, flat: 0, resolution: 0)
            libevdev_enable_event_code(description, UInt32(EV_ABS), UInt32(axis), &range)
        }
        try self.init(description, phys: phys)
    }

    isolated deinit { remove() }

    package func press(_ key: KeyCode) throws(SystemError) { try report(EV_KEY, Int32(key.rawValue), 1) }

    package func release(_ key: KeyCode) throws(SystemError) { try report(EV_KEY, Int32(key.rawValue), 0) }

    /// Moves an axis, in a report of its own.
    package func move(_ axis: Int32, to value: Int32) throws(SystemError) { try report(EV_ABS, axis, value) }

    /// Puts a plug in or pulls it: closes these switches of the jack, and opens the others, in one report.
    package func setJack(_ closed: Set<JackSwitch>) throws(SystemError) {
        for contact in JackSwitch.allCases {
            try send(type: EV_SW, code: contact.rawValue, value: closed.contains(contact) ? 1 : 0)
        }
        try sendReport()
    }

    private func report(_ type: Int32, _ code: Int32, _ value: Int32) throws(SystemError) {
        try send(type: type, code: code, value: value)
        try sendReport()
    }

    /// - Throws: `ENODEV` after ``remove()``.
    func send(type: Int32, code: Int32, value: Int32) throws(SystemError) {
        let action = "send from \(name)"
        guard let device else { throw SystemError(action, ENODEV) }
        let result = libevdev_uinput_write_event(device, UInt32(type), UInt32(code), value)
        guard result >= 0 else { throw SystemError(action, -result) }
    }

    /// Ends the report: readers receive the events since the last one.
    func sendReport() throws(SystemError) {
        try send(type: EV_SYN, code: SYN_REPORT, value: 0)
    }

    /// Reports what other programs send to the device: lights that are to be on.
    func receive(_ handler: @escaping @EventLoop (_ type: Int32, _ code: Int32, _ value: Int32) -> Void)
        throws(SystemError)
    {
        let number = descriptor.value
        source = try DescriptorSource(number, .readable) { _ in
            var event = input_event()
            // The kernel writes whole events.
            while read(number, &event, MemoryLayout<input_event>.size) == MemoryLayout<input_event>.size {
                handler(Int32(event.type), Int32(event.code), event.value)
            }
        }
    }

    /// Unplugs it, even if keys are down. Readers may or may not see a release.
    package func remove() {
        source?.cancel()
        source = nil
        if let device { libevdev_uinput_destroy(device) }
        device = nil
    }
}
