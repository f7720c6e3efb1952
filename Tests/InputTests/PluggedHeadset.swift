import EventLoop
import Glibc
import Input
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
    private var deviceEvents: AsyncStream<InputDeviceEvent>.Iterator

    init(
        _ name: String,
        keys: Set<KeyCode> = VirtualDevice.usualKeys,
        jack: Set<JackSwitch> = [],
        axes: [Int32] = [],
        id: InputNode.ID = .init(bus: InputNode.ID.usb),
        phys: String? = nil,
        tag: String? = nil
    ) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: InputDeviceEvent.self)
        monitor = try DeviceMonitor(subsystem: "input", tag: tag)
        try monitor.start { continuation.yield($0) }
        let headset = try VirtualDevice(name: name, keys: keys, jack: jack, axes: axes, id: id, phys: phys)
        var iterator = events.makeAsyncIterator()
        var found: InputNode?
        while found == nil, let event = await iterator.next(isolation: EventLoop.shared) {
            if case .added(let node) = event, node.devnode == headset.devnode { found = node }
        }
        self.headset = headset
        node = try #require(found)
        deviceEvents = iterator
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
        var iterator = deviceEvents
        defer { deviceEvents = iterator }
        while let event = await iterator.next(isolation: EventLoop.shared) {
            switch event {
            case .added(let node), .changed(let node), .removed(let node):
                if node.devnode == headset.devnode { return event }
            }
        }
        throw CancellationError()
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
    private var events: AsyncStream<KeyDeviceEvent>.Iterator

    init(_ node: InputNode, keys: Set<KeyCode> = [.playPause]) throws {
        let (events, continuation) = AsyncStream.makeStream(of: KeyDeviceEvent.self)
        self.events = events.makeAsyncIterator()
        device = try KeyDevice(node, keys: keys) { continuation.yield($0) }
    }

    func next() async throws -> KeyDeviceEvent {
        var iterator = events
        defer { events = iterator }
        // Nil only if the time limit has cancelled the test.
        guard let event = await iterator.next(isolation: EventLoop.shared) else { throw CancellationError() }
        return event
    }

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
