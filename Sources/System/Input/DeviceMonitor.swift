import CUdev
package import EventLoop
import Glibc

/// What happened to a node that the monitor looks for.
package enum DeviceEvent: Equatable, Sendable {
    /// It is there, and was not reported before.
    case added(InputNode)
    /// It was reported before, and udev now says something else about it, or this process's access to it has changed.
    case changed(InputNode)
    /// It is gone, or no longer has the tag.
    case removed(InputNode)
}

/// Knows which device nodes are there, from udev: first all that exist, then what changes.
///
/// Listens before it lists, so that no node is missed, and remembers what it told, so that none is told
/// twice. The kernel drops the messages about other devices, so that they wake nobody. Where no udevd
/// runs nothing is tagged: a monitor with a tag finds nothing there, and that is not an error.
@EventLoop
package final class DeviceMonitor {
    /// The nodes that are there now, by their path in sysfs.
    package private(set) var nodes: [String: InputNode] = [:]

    private let subsystem: String
    private let tag: String?
    private let udev: OpaquePointer
    private let monitor: OpaquePointer
    private var source: DescriptorSource?
    private var access: AttributeWatch?
    private var handler: (@EventLoop (DeviceEvent) -> Void)?

    /// - Parameters:
    ///   - subsystem: `input` for example.
    ///   - tag: Only devices that a udev rule gave this tag.
    /// - Throws: If the netlink socket to udev cannot be had.
    package init(subsystem: String, tag: String?) throws(SystemError) {
        self.subsystem = subsystem
        self.tag = tag
        let action = "listen to udev"
        guard let udev = udev_new() else { throw SystemError(action) }
        // "udev", not "kernel": its messages come when the rules are done, with properties, tags and access rights.
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
    }

    isolated deinit {
        source?.cancel()
        udev_monitor_unref(monitor)
        udev_unref(udev)
    }

    /// Reports every node that is there as added, before it returns, and from then on every change.
    ///
    /// - Parameter handler: Called in the order of the events.
    /// - Throws: If sysfs cannot be read or the socket cannot be watched. May be tried again.
    package func start(_ handler: @escaping @EventLoop (DeviceEvent) -> Void) throws(SystemError) {
        self.handler = handler
        // logind changes access lists without telling udev. Without this watch, for want of inotify instances,
        // the changes are seen when udev next says something about a device.
        access = try? AttributeWatch { [weak self] in self?.accessChanged($0) }
        source = try DescriptorSource(udev_monitor_get_fd(monitor), .readable) { [weak self] _ in
            self?.receive()
        }
        do throws(SystemError) {
            try listAgain()
        } catch {
            stop()
            throw error
        }
    }

    /// Ends the reports. What was reported is forgotten.
    package func stop() {
        source?.cancel()
        source = nil
        access = nil
        handler = nil
        nodes = [:]
    }

    /// Takes one message; the loop comes back while there are more.
    private func receive() {
        errno = 0
        guard let device = udev_monitor_receive_device(monitor) else {
            // Messages were lost: compare what is there with what was told. Everything else, EAGAIN foremost,
            // means a message that was not for us.
            if errno == ENOBUFS {
                // If sysfs cannot be read now, the next message still tells its part.
                try? listAgain()
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
        // The message's filter knows every tag the device ever had; only the current ones count.
        guard let tag else { return true }
        return udev_device_has_current_tag(device, tag) > 0
    }

    /// - Throws: If sysfs cannot be read; nothing is reported then.
    private func listAgain() throws(SystemError) {
        let found = try list()
        for path in nodes.keys.sorted() where found[path] == nil { update(path, nil) }
        for path in found.keys.sorted() { update(path, found[path]) }
    }

    private func list() throws(SystemError) -> [String: InputNode] {
        let action = "list the \(subsystem) devices"
        guard let enumeration = udev_enumerate_new(udev) else { throw SystemError(action) }
        defer { udev_enumerate_unref(enumeration) }
        var result = udev_enumerate_add_match_subsystem(enumeration, subsystem)
        if let tag, result >= 0 { result = udev_enumerate_add_match_tag(enumeration, tag) }
        if result >= 0 { result = udev_enumerate_scan_devices(enumeration) }
        guard result >= 0 else { throw SystemError(action, -result) }

        var found: [String: InputNode] = [:]
        for (path, _) in entries(udev_enumerate_get_list_entry(enumeration)) {
            // A device may go between the listing and the look at it.
            guard let device = udev_device_new_from_syspath(udev, path) else { continue }
            defer { udev_device_unref(device) }
            if isWanted(device) { found[path] = InputNode(device) }
        }
        return found
    }

    private func watchAccess(to node: InputNode?) {
        guard let node, let end = node.devnode.lastIndex(of: "/") else { return }
        // If the directory cannot be watched, it is as without any watch.
        try? access?.add(String(node.devnode[..<end]))
    }

    /// - Parameter devnode: nil if it is not known which.
    private func accessChanged(_ devnode: String?) {
        for (path, var node) in nodes where devnode == nil || node.devnode == devnode {
            let isReadable = canRead(node.devnode)
            // A file that is gone: udev tells about its device.
            if !isReadable, errno == ENOENT { continue }
            node.isReadable = isReadable
            update(path, node)
        }
    }

    private func update(_ path: String, _ node: InputNode?) {
        let before = nodes[path]
        guard before != node else { return }
        nodes[path] = node
        watchAccess(to: node)
        switch (before, node) {
        case (nil, let node?): handler?(.added(node))
        case (_?, let node?): handler?(.changed(node))
        case (let before?, nil): handler?(.removed(before))
        case (nil, nil): break
        }
    }
}

extension InputNode {
    /// Properties that differ between a message and the listing of the same device: the message's own, and
    /// lists in an order that means nothing. Kept, they would look like changes of the device.
    private static let leftOut: Set<String> = ["ACTION", "SEQNUM", "TAGS", "CURRENT_TAGS", "DEVLINKS"]

    /// nil for a device without a node in `/dev`, an input device's parent for example.
    fileprivate init?(_ device: OpaquePointer) {
        guard let devnode = udev_device_get_devnode(device), let sysname = udev_device_get_sysname(device)
        else { return nil }
        // The node's parent is the input device itself. It belongs to the node and is not released.
        let parent = udev_device_get_parent_with_subsystem_devtype(device, "input", nil)
        func attribute(_ name: String) -> String {
            udev_device_get_sysattr_value(parent, name).map { String(cString: $0) } ?? ""
        }
        func number(_ name: String) -> UInt16 {
            UInt16(attribute(name), radix: 16) ?? 0
        }
        self.init(
            sysname: String(cString: sysname),
            devnode: String(cString: devnode),
            name: attribute("name"),
            phys: attribute("phys"),
            uniq: attribute("uniq"),
            id: ID(bus: number("id/bustype"), vendor: number("id/vendor"), product: number("id/product")),
            keys: KeyBits(capabilities: attribute("capabilities/key")),
            isReadable: canRead(String(cString: devnode)),
            // In messages libudev 252 has an empty tag among them.
            tags: Set(entries(udev_device_get_current_tags_list_entry(device)).map(\.0)).subtracting([""]),
            properties: Dictionary(
                entries(udev_device_get_properties_list_entry(device)).filter {
                    !Self.leftOut.contains($0.0)
                },
                uniquingKeysWith: { _, last in last }
            )
        )
    }
}

private func canRead(_ path: String) -> Bool {
    access(path, R_OK) == 0
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
