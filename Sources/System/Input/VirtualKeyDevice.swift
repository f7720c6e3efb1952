import CEvdev
package import EventLoop
import Glibc

/// Keys, the axes of a joystick and the switches of a jack, created with uinput: for the rest of the system a
/// device like any other.
@EventLoop
package final class VirtualKeyDevice {
    private let device: VirtualDevice

    package var name: String { device.name }
    /// `/dev/input/event…`. udev sets its access rights shortly after.
    package var devnode: String { device.devnode }

    /// The keys of an ordinary headset.
    package nonisolated static let usualKeys: Set<KeyCode> = [.playPause, .volumeUp, .volumeDown, .nextSong]

    /// Plugs the device in.
    ///
    /// - Parameters:
    ///   - name: At most 79 bytes (`UINPUT_MAX_NAME_SIZE`).
    ///   - keys: The keys that it can send.
    ///   - jack: The switches that it has, all open at first.
    ///   - axes: The axes that it has, from -128 to 127: with buttons it is a joystick.
    ///   - id: Bus, vendor and product. A device of uinput has no parent on that bus.
    ///   - phys: The physical location that it reports, `ALSA` for the jack of a sound card.
    /// - Throws: `ENOENT` or `ENODEV` without the kernel module `uinput`, `EACCES` without permission to open
    ///   `/dev/uinput`.
    package init(
        name: String,
        keys: Set<KeyCode> = usualKeys,
        jack: Set<JackSwitch> = [],
        axes: [Int32] = [],
        id: InputNode.ID = .init(bus: UInt16(BUS_USB)),
        phys: String? = nil
    ) throws(SystemError) {
        guard let description = libevdev_new() else { throw SystemError("describe \(name)", ENOMEM) }
        defer { libevdev_free(description) }
        libevdev_set_name(description, name)
        libevdev_set_id_bustype(description, Int32(id.bus))
        libevdev_set_id_vendor(description, Int32(id.vendor))
        libevdev_set_id_product(description, Int32(id.product))
        for key in keys {
            libevdev_enable_event_code(description, UInt32(EV_KEY), UInt32(key.rawValue), nil)
        }
        for contact in jack {
            libevdev_enable_event_code(description, UInt32(EV_SW), UInt32(contact.rawValue), nil)
        }
        for axis in axes {
            var range = input_absinfo(value: 0, minimum: -128, maximum: 127, fuzz: 0, flat: 0, resolution: 0)
            libevdev_enable_event_code(description, UInt32(EV_ABS), UInt32(axis), &range)
        }
        device = try VirtualDevice(description, phys: phys)
    }

    package func press(_ key: KeyCode) throws(SystemError) { try send(EV_KEY, Int32(key.rawValue), 1) }

    package func release(_ key: KeyCode) throws(SystemError) { try send(EV_KEY, Int32(key.rawValue), 0) }

    /// Moves an axis, in a report of its own.
    package func move(_ axis: Int32, to value: Int32) throws(SystemError) { try send(EV_ABS, axis, value) }

    /// Puts a plug in or pulls it: closes these switches of the jack, and opens the others, in one report.
    package func setJack(_ closed: Set<JackSwitch>) throws(SystemError) {
        for contact in JackSwitch.allCases {
            try device.send(type: EV_SW, code: contact.rawValue, value: closed.contains(contact) ? 1 : 0)
        }
        try device.sendReport()
    }

    /// Unplugs it, even if keys are down. Readers may or may not see a release.
    package func remove() { device.remove() }

    private func send(_ type: Int32, _ code: Int32, _ value: Int32) throws(SystemError) {
        try device.send(type: type, code: code, value: value)
        try device.sendReport()
    }
}
