import EventLoop
import Input
import PTTMessages

/// An input device made with uinput, and what udev and others see of it.
@EventLoop
final class Headset {
    let node: InputNode
    private let device: VirtualHeadset
    private let monitor: DeviceMonitor

    var name: String { device.name }

    /// Plugs it in, and waits until udev has announced it.
    static func plugIn(
        _ name: String,
        keys: Set<KeyCode> = VirtualHeadset.usualKeys
    ) async throws -> Headset {
        let monitor = try DeviceMonitor(subsystem: "input", tag: nil)
        try monitor.start { _ in Conditions.evaluate() }
        let device = try VirtualHeadset(name: name, keys: keys)
        var node: InputNode?
        try await until("udev announces \(name)") {
            node = monitor.nodes.values.first { $0.devnode == device.devnode }
            return node != nil
        }
        guard let node else { throw Failure("udev has lost \(name)") }
        return Headset(node: node, device: device, monitor: monitor)
    }

    private init(node: InputNode, device: VirtualHeadset, monitor: DeviceMonitor) {
        self.node = node
        self.device = device
        self.monitor = monitor
    }

    func press(_ key: KeyCode) throws {
        try device.press(key)
        try device.release(key)
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

    init(_ node: InputNode, keys: Set<KeyCode> = VirtualHeadset.usualKeys) throws {
        device = try KeyDevice(node, keys: keys) { [weak self] event in
            if case .key(let key) = event, key.edge == .pressed { self?.pressed.append(key.key) }
            Conditions.evaluate()
        }
    }
}
