import CUdev
package import EventLoop
import Glibc

/// A change of a monitored device node.
package enum InputDeviceEvent: Equatable, Sendable {
    /// It is new, or its udev properties or this process's access to it have changed.
    case present(InputNode)
    /// It was removed, or no longer has the tag.
    case removed(InputNode)
}

/// Monitors device nodes through udev: first reports those that exist, then every change.
///
/// It subscribes before it enumerates, so that no node is missed, and remembers what it has reported, so that
/// none is reported twice. The kernel filters out messages about other devices, so that they cause no
/// wake-ups. Without a running udevd no device is tagged: a monitor with a tag then finds nothing, which is
/// not an error.
@EventLoop
package final class DeviceMonitor {
    /// The present nodes, by their path in sysfs.
    package private(set) var nodes: [String: InputNode] = [:]

    private let subsystem: String
    private let tag: String?
    private let udev: OpaquePointer
    private let monitor: OpaquePointer
    private var source: DescriptorSource?
    private var access: Inotify?
    private let handler: @EventLoop (InputDeviceEvent) -> Void

    /// Reports every present node of a subsystem, `input` for example, before it returns, and every change
    /// from then on: with a tag only devices to which a udev rule has given it.
    ///
    /// - Throws: If udev's netlink socket cannot be opened or watched, or sysfs cannot be read.
    package init(
        subsystem: String,
        tag: String?,
        handler: @escaping @EventLoop (InputDeviceEvent) -> Void
    ) throws(SystemError) {
        self.subsystem = subsystem
        self.tag = tag
        self.handler = handler
        let action = "monitor udev"
        guard let udev = udev_new() else { throw SystemError(action) }
        // "udev", not "kernel": these messages are sent after the rules have run, with properties, tags and
        // access rights.
        guard let monitor = udev_monitor_new_from_netlink(udev, "udev") else {
            let error = SystemError(action)
            udev_unref(udev)
            throw error
        }
        self.udev = udev
        self.monitor = monitor
        var result = udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
        if let tag, result >= 0 { result = udev_monitor_filter_add_match_tag(monitor, tag) }
        if result >= 0 { result = udev_monitor_enable_receiving(monitor) }
        guard result >= 0 else { throw SystemError(action, -result) }
        // logind changes access control lists without involving udev. If this watch fails for lack of inotify
        // instances, a change of access is noticed with udev's next message about the device.
        access = try? Inotify("watch the access rights of devices") { [weak self] _ in self?.accessChanged() }
        source = try DescriptorSource(udev_monitor_get_fd(monitor), .readable) { [weak self] _ in
            self?.receiveMessage()
        }
        try refresh()
    }

    isolated deinit {
        source?.cancel()
        udev_monitor_unref(monitor)
        udev_unref(udev)
    }

    /// Receives one message. The source fires again while there are more.
    private func receiveMessage() {
        errno = 0
        guard let device = udev_monitor_receive_device(monitor) else {
            // ENOBUFS: messages were lost, so compare the present nodes with those that were reported.
            // Anything else, most often EAGAIN, means that the filter dropped the message.
            if errno == ENOBUFS {
                // If sysfs cannot be read now, later messages still report their own devices.
                try? refresh()
            }
            return
        }
        defer { udev_device_unref(device) }
        guard let path = udev_device_get_syspath(device).map({ String(cString: $0) }) else { return }
        let action = udev_device_get_action(device).map { String(cString: $0) }
        let isGone = action == "remove" || !isWanted(device)
        update(path, isGone ? nil : InputNode(device))
    }

    private func isWanted(_ device: OpaquePointer) -> Bool {
        // The filter of the socket matches every tag that the device ever had; only the current ones count.
        guard let tag else { return true }
        return udev_device_has_current_tag(device, tag) > 0
    }

    /// - Throws: If sysfs cannot be read; nothing is reported then.
    private func refresh() throws(SystemError) {
        let found = try enumerate()
        for path in nodes.keys.sorted() where found[path] == nil { update(path, nil) }
        for path in found.keys.sorted() { update(path, found[path]) }
    }

    private func enumerate() throws(SystemError) -> [String: InputNode] {
        var found: [String: InputNode] = [:]
        for path in try paths(udev, subsystem: subsystem, tag: tag) {
            // A device may be removed after it was listed.
            guard let device = udev_device_new_from_syspath(udev, path) else { continue }
            defer { udev_device_unref(device) }
            if isWanted(device) { found[path] = InputNode(device) }
        }
        return found
    }

    /// Watches its directory, once, because a file without read access cannot be watched.
    private func watchAccess(to node: InputNode?) {
        guard let node, let end = node.devnode.lastIndex(of: "/") else { return }
        // If the directory cannot be watched, a change of access is noticed with udev's next message.
        _ = try? access?.add(String(node.devnode[..<end]), UInt32(IN_ATTRIB | IN_ONLYDIR))
    }

    /// The owner, the mode or the access control list of a file in a watched directory has changed.
    private func accessChanged() {
        for (path, var node) in nodes {
            let isReadable = canRead(node.devnode)
            // The file was removed: udev will report that.
            if !isReadable, errno == ENOENT { continue }
            node.isReadable = isReadable
            update(path, node)
        }
    }

    private func update(_ path: String, _ node: InputNode?) {
        let previous = nodes[path]
        guard previous != node else { return }
        nodes[path] = node
        watchAccess(to: node)
        switch (previous, node) {
        case (_, let node?): handler(.present(node))
        case (let previous?, nil): handler(.removed(previous))
        case (nil, nil): break
        }
    }
}

extension InputNode {
    /// Returns the present devices of a subsystem that have a node, in the order of their paths in sysfs;
    /// none without sysfs.
    package static func present(in subsystem: String) -> [InputNode] {
        guard let udev = udev_new() else { return [] }
        defer { udev_unref(udev) }
        // Without sysfs there are no devices.
        let found = (try? paths(udev, subsystem: subsystem)) ?? []
        return found.sorted().compactMap { path -> InputNode? in
            // It may be removed after it was listed.
            guard let device = udev_device_new_from_syspath(udev, path) else { return nil }
            defer { udev_device_unref(device) }
            return InputNode(device)
        }
    }

    /// Properties that differ between a message and the enumeration of the same device: those of the message
    /// itself, and lists in arbitrary order. They would look like changes of the device.
    private static let ignoredProperties: Set<String> = [
        "ACTION", "SEQNUM", "TAGS", "CURRENT_TAGS", "DEVLINKS",
    ]

    /// Nil for a device without a node in `/dev`, for example the parent of an input device.
    fileprivate init?(_ device: OpaquePointer) {
        guard let devnode = udev_device_get_devnode(device), let sysname = udev_device_get_sysname(device)
        else { return nil }
        // The parent of an event node is the input device itself, that of a serial port the adapter. The
        // child owns it, so that it is not released here.
        let isSerialPort = udev_device_get_subsystem(device).map { String(cString: $0) } == "tty"
        let parent =
            isSerialPort
            ? udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device")
            : udev_device_get_parent_with_subsystem_devtype(device, "input", nil)
        func attribute(_ name: String) -> String {
            udev_device_get_sysattr_value(parent, name).map { String(cString: $0) } ?? ""
        }
        func number(_ name: String) -> UInt16 {
            UInt16(attribute(name), radix: 16) ?? 0
        }
        let id =
            isSerialPort
            ? ID(bus: parent == nil ? 0 : ID.usb, vendor: number("idVendor"), product: number("idProduct"))
            : ID(bus: number("id/bustype"), vendor: number("id/vendor"), product: number("id/product"))
        self.init(
            sysname: String(cString: sysname),
            devnode: String(cString: devnode),
            name: attribute(isSerialPort ? "product" : "name"),
            phys: attribute("phys"),
            uniq: attribute("uniq"),
            id: id,
            keys: Set(capabilities: attribute("capabilities/key")),
            isReadable: canRead(String(cString: devnode)),
            // In messages, libudev 252 reports an additional empty tag.
            tags: Set(entries(udev_device_get_current_tags_list_entry(device)).map(\.0)).subtracting([""]),
            properties: Dictionary(
                entries(udev_device_get_properties_list_entry(device)).filter {
                    !Self.ignoredProperties.contains($0.0)
                },
                uniquingKeysWith: { _, last in last }
            ),
            isBesideKeyboard: Self.isBesideKeyboard(device, parent)
        )
    }

    /// Returns true if another input device than that of an event node, its parent, is of the same USB device
    /// and has keys to type with.
    private static func isBesideKeyboard(_ device: OpaquePointer, _ parent: OpaquePointer?) -> Bool {
        // Owned by the child, as the input device is.
        guard let usb = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device"),
            let udev = udev_device_get_udev(device)
        else { return false }
        // A device that is being removed has no siblings to find.
        let siblings = (try? paths(udev, subsystem: "input", below: usb)) ?? []
        let own = parent.flatMap { udev_device_get_syspath($0) }.map { String(cString: $0) }
        return siblings.contains { path in
            guard path != own, let sibling = udev_device_new_from_syspath(udev, path) else { return false }
            defer { udev_device_unref(sibling) }
            // Of an input device; its event node has none.
            guard let keys = udev_device_get_sysattr_value(sibling, "capabilities/key") else { return false }
            return Set<KeyCode>(capabilities: String(cString: keys)).canTypeText
        }
    }
}

private func canRead(_ path: String) -> Bool {
    access(path, R_OK) == 0
}

/// Where the present devices of a subsystem are in sysfs.
private func paths(
    _ udev: OpaquePointer,
    subsystem: String,
    tag: String? = nil,
    below parent: OpaquePointer? = nil
) throws(SystemError) -> [String] {
    let action = "list the \(subsystem) devices"
    guard let enumeration = udev_enumerate_new(udev) else { throw SystemError(action) }
    defer { udev_enumerate_unref(enumeration) }
    var result = udev_enumerate_add_match_subsystem(enumeration, subsystem)
    if let tag, result >= 0 { result = udev_enumerate_add_match_tag(enumeration, tag) }
    if let parent, result >= 0 { result = udev_enumerate_add_match_parent(enumeration, parent) }
    if result >= 0 { result = udev_enumerate_scan_devices(enumeration) }
    guard result >= 0 else { throw SystemError(action, -result) }
    return entries(udev_enumerate_get_list_entry(enumeration)).map(\.0)
}

/// The names and values of a libudev list.
private func entries(_ first: OpaquePointer?) -> [(String, String)] {
    var pairs: [(String, String)] = []
    var entry = first
    while let current = entry {
        if let name = udev_list_entry_get_name(current) {
            let value = udev_list_entry_get_value(current).map { String(cString: $0) } ?? ""
            pairs.append((String(cString: name), value))
        }
        entry = udev_list_entry_get_next(current)
    }
    return pairs
}
