import CEvdev
import CLinux
import EventLoop
import Glibc

// The calls of libevdev and the kernel that `KeyDevice` needs.

/// Opens an event device, for reading or also for writing. ``closeDevice(_:)`` closes it.
func openedDevice(_ path: String, _ label: String, isWritable: Bool = false) throws(SystemError)
    -> OpaquePointer
{
    let access = isWritable ? O_RDWR : O_RDONLY
    let descriptor = OwnedDescriptor(adopting: open(path, access | O_NONBLOCK | O_CLOEXEC | O_NOCTTY))
    guard descriptor.value >= 0 else { throw SystemError("open \(label)") }
    var device: OpaquePointer?
    let result = libevdev_new_from_fd(descriptor.value, &device)
    guard result >= 0, let device else { throw SystemError("read \(label)", -result) }
    _ = descriptor.release()  // libevdev only borrows it: closeDevice(_:)
    return device
}

func closeDevice(_ device: OpaquePointer) {
    let descriptor = OwnedDescriptor(adopting: libevdev_get_fd(device))
    libevdev_free(device)
    _ = consume descriptor
}

func nextReading(_ device: OpaquePointer, _ mode: KeyEventDecoder.Mode) -> KeyEventDecoder.Reading {
    let flag = mode == .live ? LIBEVDEV_READ_FLAG_NORMAL : LIBEVDEV_READ_FLAG_SYNC
    var event = input_event()
    let status = libevdev_next_event(device, flag.rawValue, &event)
    if status == -EAGAIN { return .nothing }
    if status < 0 { return .failed(errno: -status) }
    if Int32(event.type) == EV_SYN, Int32(event.code) == SYN_DROPPED { return .dropped }
    return .event(RawEvent(event))
}

/// Makes libevdev query the kernel for the state of keys and switches, as it does after lost events.
func startOfDifferences(_ device: OpaquePointer) -> KeyEventDecoder.Reading {
    var event = input_event()
    let status = libevdev_next_event(device, LIBEVDEV_READ_FLAG_FORCE_SYNC.rawValue, &event)
    return status < 0 ? .failed(errno: -status) : .requeried
}

/// The keys that the device supports.
func allKeys(of device: OpaquePointer) -> Set<KeyCode> {
    Set((0..<KeyCode.count).map { KeyCode(rawValue: $0) }.filter { hasKey($0, device) })
}

func hasKey(_ key: KeyCode, _ device: OpaquePointer) -> Bool {
    libevdev_has_event_code(device, UInt32(EV_KEY), UInt32(key.rawValue)) == 1
}

/// Returns true if the key was down at the last event or synchronisation.
func isDown(_ key: KeyCode, _ device: OpaquePointer) -> Bool {
    libevdev_get_event_value(device, UInt32(EV_KEY), UInt32(key.rawValue)) != 0
}

func isAnyKeyDown(_ device: OpaquePointer) -> Bool {
    allKeys(of: device).contains { isDown($0, device) }
}

/// The switches of a jack that the device has.
func allJackSwitches(of device: OpaquePointer) -> [JackSwitch] {
    JackSwitch.allCases.filter {
        libevdev_has_event_code(device, UInt32(EV_SW), UInt32($0.rawValue)) == 1
    }
}

/// The switches that were closed at the last event or synchronisation.
func closedJackSwitches(of device: OpaquePointer) -> [JackSwitch] {
    JackSwitch.allCases.filter {
        libevdev_get_event_value(device, UInt32(EV_SW), UInt32($0.rawValue)) != 0
    }
}

/// A description from which uinput makes a device. The caller frees it.
func describedDevice(
    _ name: String,
    _ id: InputNode.ID,
    keys: some Sequence<KeyCode>,
    jack: some Sequence<JackSwitch>
) throws(SystemError) -> OpaquePointer {
    guard let description = libevdev_new() else { throw SystemError("describe \(name)", ENOMEM) }
    libevdev_set_name(description, name)
    libevdev_set_id_bustype(description, Int32(id.bus))
    libevdev_set_id_vendor(description, Int32(id.vendor))
    libevdev_set_id_product(description, Int32(id.product))
    for key in keys { libevdev_enable_event_code(description, UInt32(EV_KEY), UInt32(key.rawValue), nil) }
    for contact in jack {
        libevdev_enable_event_code(description, UInt32(EV_SW), UInt32(contact.rawValue), nil)
    }
    return description
}

/// Restricts the events of the descriptor to these keys and the switches of a jack (EVIOCSMASK).
///
/// - Returns: 0 or a negative `errno`.
func limitKeys(_ device: OpaquePointer, to keys: Set<KeyCode>) -> Int32 {
    limitEvents(libevdev_get_fd(device), to: keys, JackSwitch.allCases)
}

/// ``limitKeys(_:to:)`` for a descriptor that libevdev does not read, and for any switches.
func limitEvents(_ descriptor: Int32, to keys: Set<KeyCode>, _ switches: [JackSwitch]) -> Int32 {
    // The mask of EV_SYN is the mask of event types; EV_SYN itself always passes (drivers/input/evdev.c).
    let types = [EV_SYN, EV_KEY] + (switches.isEmpty ? [] : [EV_SW])
    for (type, mask) in [
        (EV_KEY, keyMask(keys)), (EV_SW, eventMask(switches.map { Int($0.rawValue) }, size: 8)),
        (EV_SYN, eventMask(types.map { Int($0) }, size: 8)),
    ] where clinux_evdev_set_mask(descriptor, UInt32(type), mask, UInt32(mask.count)) != 0 {
        return -errno
    }
    return 0
}

func keyMask(_ keys: Set<KeyCode>) -> [UInt8] {
    eventMask(keys.map { Int($0.rawValue) }, size: Int(KeyCode.count) / 8)
}

/// The layout of `EVIOCSMASK`: bit n of byte n / 8. The size is a multiple of that of a long.
private func eventMask(_ codes: [Int], size: Int) -> [UInt8] {
    var mask = [UInt8](repeating: 0, count: size)
    for code in codes { mask[code / 8] |= 1 << (code % 8) }
    return mask
}
