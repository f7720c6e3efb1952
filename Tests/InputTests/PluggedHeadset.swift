import EventLoop
import Glibc
import Input
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    static var needsUinput: Self {
        .enabled(
            if: access("/dev/uinput", W_OK) == 0,
            "/dev/uinput cannot be opened here; make system-test runs this in the virtual machine"
        )
    }
}

/// A headset created with uinput, found by a real monitor, and read by one or more devices.
@EventLoop
final class PluggedHeadset {
    let headset: VirtualDevice
    let node: InputNode
    private let monitor: DeviceMonitor
    private let deviceEvents = AsyncQueue(of: InputDeviceEvent.self)

    init(
        _ name: String,
        keys: Set<KeyCode> = VirtualDevice.usualKeys,
        jack: Set<JackSwitch> = [],
        axes: [Int32] = [],
        id: InputNode.ID = .init(bus: InputNode.ID.usb),
        phys: String? = nil,
        tag: String? = nil
    ) async throws {
        monitor = try DeviceMonitor(subsystem: "input", tag: tag) { [deviceEvents] in deviceEvents.add($0) }
        let headset = try VirtualDevice(name: name, keys: keys, jack: jack, axes: axes, id: id, phys: phys)
        self.headset = headset
        node = try await deviceEvents.firstValue {
            if case .present(let node) = $0, node.devnode == headset.devnode { node } else { nil }
        }
    }

    /// The jack of a sound card, with a switch for headphone and one for microphone.
    static func jack(_ name: String, keys: Set<KeyCode>) async throws -> PluggedHeadset {
        try await PluggedHeadset(
            name,
            keys: keys,
            jack: [.headphone, .microphone],
            id: .init(),
            phys: "ALSA"
        )
    }

    /// The next event of udev for this headset.
    func nextDeviceEvent() async throws -> InputDeviceEvent {
        try await deviceEvents.first {
            switch $0 {
            case .present(let node), .removed(let node): node.devnode == headset.devnode
            }
        }
    }

    func tap(_ key: KeyCode) throws {
        try headset.press(key)
        try headset.release(key)
    }
}

/// Reads a headset and collects its events.
@EventLoop
final class Reader {
    let device: KeyDevice
    private let events = AsyncQueue(of: KeyDeviceEvent.self)

    init(_ node: InputNode, keys: Set<KeyCode> = [.playPause]) throws {
        device = try KeyDevice(node, keys: keys) { [events] in events.add($0) }
    }

    func next() async throws -> KeyDeviceEvent { try await events.next() }

    /// The next event, which must be that of a key.
    func nextKey() async throws -> KeyEvent {
        let event = try await next()
        guard case .key(let key) = event else { throw Unexpected(event: event) }
        return key
    }

    struct Unexpected: Error {
        let event: KeyDeviceEvent
    }
}
