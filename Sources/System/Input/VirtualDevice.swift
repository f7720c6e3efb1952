import CEvdev
import CLinux
import EventLoop
import Glibc

/// An input device created with uinput. It ends with this object, and with the process however that ends; the
/// kernel then releases its keys.
@EventLoop
final class VirtualDevice {
    let name: String
    /// `/dev/input/event…`. udev sets its access rights shortly after.
    let devnode: String
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

    isolated deinit { remove() }

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
    func remove() {
        source?.cancel()
        source = nil
        if let device { libevdev_uinput_destroy(device) }
        device = nil
    }
}
