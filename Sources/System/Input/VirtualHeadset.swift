import CEvdev
package import EventLoop
import Glibc

/// The keys of a USB headset, created with uinput: for the rest of the system a device like any other.
@EventLoop
package final class VirtualHeadset {
    package let name: String
    /// `/dev/input/event…`. udev sets its access rights shortly after.
    package let devnode: String
    private var device: OpaquePointer?

    /// The keys of an ordinary headset.
    package nonisolated static let usualKeys: Set<KeyCode> = [.playPause, .volumeUp, .volumeDown, .nextSong]

    /// Plugs the headset in.
    ///
    /// - Parameters:
    ///   - name: At most 79 bytes (`UINPUT_MAX_NAME_SIZE`).
    ///   - keys: The keys that it can send.
    /// - Throws: `ENOENT` or `ENODEV` without the kernel module `uinput`, `EACCES` without permission to open `/dev/uinput`.
    package init(name: String, keys: Set<KeyCode> = usualKeys) throws(SystemError) {
        let action = "create the input device \(name) with /dev/uinput"
        guard let description = libevdev_new() else { throw SystemError(action, ENOMEM) }
        defer { libevdev_free(description) }
        libevdev_set_name(description, name)
        libevdev_set_id_bustype(description, BUS_USB)
        for key in keys {
            libevdev_enable_event_code(description, UInt32(EV_KEY), UInt32(key.rawValue), nil)
        }
        var made: OpaquePointer?
        let result = libevdev_uinput_create_from_device(
            description,
            Int32(LIBEVDEV_UINPUT_OPEN_MANAGED.rawValue),
            &made
        )
        guard result >= 0, let made else { throw SystemError(action, -result) }
        self.name = name
        device = made
        devnode = libevdev_uinput_get_devnode(made).map { String(cString: $0) } ?? ""
    }

    isolated deinit { remove() }

    package func press(_ key: KeyCode) throws(SystemError) { try send(key, 1) }

    package func release(_ key: KeyCode) throws(SystemError) { try send(key, 0) }

    /// Unplugs it, even if keys are down. Readers may or may not see a release.
    package func remove() {
        if let device { libevdev_uinput_destroy(device) }
        device = nil
    }

    private func send(_ key: KeyCode, _ value: Int32) throws(SystemError) {
        let action = "send \(key) from \(name)"
        guard let device else { throw SystemError(action, ENODEV) }
        var result = libevdev_uinput_write_event(device, UInt32(EV_KEY), UInt32(key.rawValue), value)
        if result >= 0 { result = libevdev_uinput_write_event(device, UInt32(EV_SYN), UInt32(SYN_REPORT), 0) }
        guard result >= 0 else { throw SystemError(action, -result) }
    }
}
