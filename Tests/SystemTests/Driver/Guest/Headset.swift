import EventLoop
import Input
import PTTMessages

/// An input device made with uinput, and what udev and others see of it.
@EventLoop
final class Headset {
    let node: InputNode
    private let device: VirtualDevice
    private let monitor: DeviceMonitor

    var name: String { device.name }

    /// Plugs it in, and waits until udev has announced it.
    static func plugIn(
        _ name: String,
        keys: Set<KeyCode> = VirtualDevice.usualKeys,
        jack: Set<JackSwitch> = [],
        axes: [Int32] = [],
        id: InputNode.ID = .init(bus: InputNode.ID.usb),
        phys: String? = nil
    ) async throws -> Headset {
        let monitor = try DeviceMonitor(subsystem: "input", tag: nil) { _ in Conditions.evaluate() }
        let device = try VirtualDevice(name: name, keys: keys, jack: jack, axes: axes, id: id, phys: phys)
        var node: InputNode?
        try await until("udev announces \(name)") {
            node = monitor.nodes.values.first { $0.devnode == device.devnode }
            return node != nil
        }
        guard let node else { throw Failure("udev has lost \(name)") }
        return Headset(node: node, device: device, monitor: monitor)
    }

    private init(node: InputNode, device: VirtualDevice, monitor: DeviceMonitor) {
        self.node = node
        self.device = device
        self.monitor = monitor
    }

    /// As a finger presses it: longer than the contact of a dirty plug, which does not count.
    func press(_ key: KeyCode) async throws {
        try device.press(key)
        _ = await Conditions.wait(.milliseconds(60)) { false }
        try device.release(key)
    }

    /// A key that no rule is about.
    func tap(_ key: KeyCode) throws {
        try device.press(key)
        try device.release(key)
    }

    func hold(_ key: KeyCode) throws { try device.press(key) }

    func release(_ key: KeyCode) throws { try device.release(key) }

    func move(_ axis: Int32, to value: Int32) throws { try device.move(axis, to: value) }

    func setJack(_ closed: Set<JackSwitch>) throws { try device.setJack(closed) }

    /// The two devices that ptt-keys has made of it, when udev has announced them.
    func halves() async throws -> (few: InputNode, rest: InputNode) {
        func half(_ part: InputNode.Half) -> InputNode? {
            monitor.nodes.values.first {
                $0.half?.part == part && $0.half?.of == node.sysname && $0.isReadable
            }
        }
        try await until("ptt-keys has divided \(name)") { half(.few) != nil && half(.rest) != nil }
        guard let few = half(.few), let rest = half(.rest) else { throw Failure("udev has lost the halves") }
        return (few, rest)
    }

    /// Keys that are down stay down, as with a real headset.
    func unplug() {
        device.remove()
    }

    /// Waits until ptt-accessoryd reads its key, and returns the identifier of its presses.
    func ready(_ accessories: AccessorySubscriber) async throws -> String {
        try await accessories.open()
        try await until("ptt-accessoryd uses \(name)") { [name] in
            accessories.device(named: name)?.link == .ready
        }
        return accessories.device(named: name)?.identifier ?? ""
    }
}

/// Another program that reads a device, a media player for example.
@EventLoop
final class OtherReader {
    private(set) var pressed: [KeyCode] = []
    private var device: KeyDevice?

    init(_ node: InputNode, keys: Set<KeyCode> = VirtualDevice.usualKeys) throws {
        device = try KeyDevice(node, keys: keys) { [weak self] event in
            if case .key(let key) = event, key.edge == .pressed { self?.pressed.append(key.key) }
            Conditions.evaluate()
        }
    }
}
