import EventLoop
import Glibc
import Input
import TestSupport
import Testing

/// With the kernel's uinput and evdev and a running udevd: as root, and in the virtual machine.
@Suite(
    .needsUinput,
    .serialized,
    .timeLimit(.minutes(1))
)
struct SplitDeviceTests {
    init() { withRunningLoop() }

    private func jack(_ name: String) async throws -> PluggedHeadset {
        try await .jack(name, keys: [.playPause, .volumeUp, .volumeDown])
    }

    @Test @EventLoop func `each key arrives at one half, and none at the original`() async throws {
        let jack = try await jack("PTT Test Split 1")
        try jack.headset.setJack([.headphone, .microphone])
        let original = try Reader(jack.node, keys: [.playPause, .volumeUp])
        let halves = try await Halves(of: jack.node, keys: [.playPause])
        #expect(halves.few.keys == [.playPause])
        #expect(halves.rest.keys == [.volumeUp, .volumeDown])
        let few = try Reader(halves.few, keys: [.playPause, .volumeUp])
        let rest = try Reader(halves.rest, keys: [.playPause, .volumeUp])
        // The few keys can be grabbed, and the others arrive nevertheless.
        few.device.grab()
        #expect(try await few.next() == .grabbed)
        try jack.tap(.playPause)
        try jack.tap(.volumeUp)
        for edge in [KeyEvent.Edge.pressed, .released] {
            let key = try await few.nextKey()
            #expect(key.key == .playPause)
            #expect(key.edge == edge)
        }
        for _ in 0..<2 { #expect(try await rest.nextKey().key == .volumeUp) }
        try jack.headset.setJack([])
        // Both switches were closed at both halves: the kernel reports changes only.
        for _ in 0..<2 {
            #expect(try await few.next() == .jackChanged)
            #expect(try await rest.next() == .jackChanged)
        }
        // Without the division the original works as before; nothing of the time between arrives.
        halves.device.close()
        try jack.tap(.volumeUp)
        #expect(try await original.nextKey().key == .volumeUp)
        #expect(try await few.next() == .vanished)
    }

    @Test @EventLoop func `a key that is held when a half ends is released or vanishes`() async throws {
        let jack = try await jack("PTT Test Split 2")
        let halves = try await Halves(of: jack.node, keys: [.playPause])
        let few = try Reader(halves.few)
        try jack.headset.press(.playPause)
        #expect(try await few.nextKey().edge == .pressed)
        halves.device.close()
        var last = try await few.next()
        if case .key(let key) = last {
            #expect(key.edge == .released)
            last = try await few.next()
        }
        #expect(last == .vanished)
    }

    @Test @EventLoop func `a device is divided when none of its keys is down`() async throws {
        let jack = try await jack("PTT Test Split 3")
        try jack.headset.press(.volumeUp)
        let original = try Reader(jack.node, keys: [.volumeUp])
        let events = AsyncQueue(of: SplitDevice.Event.self)
        let device = try SplitDevice(jack.node, keys: [.playPause]) { events.add($0) }
        try jack.headset.release(.volumeUp)
        // The reader that saw the press receives the release.
        #expect(try await original.nextKey().edge == .released)
        #expect(try await events.next() == .split)
        device.close()
    }

    @Test @EventLoop func `a device that another program has grabbed is divided when that lets go`()
        async throws
    {
        let jack = try await jack("PTT Test Split 4")
        let other = try Reader(jack.node)
        other.device.grab()
        #expect(try await other.next() == .grabbed)
        let events = AsyncQueue(of: SplitDevice.Event.self)
        let device = try SplitDevice(jack.node, keys: [.playPause]) { events.add($0) }
        guard case .refused(let error) = try await events.next() else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == EBUSY)
        other.device.close()
        try jack.tap(.volumeUp)
        #expect(try await events.next() == .split)
        device.close()
    }

    @Test @EventLoop func `lost events end both halves, and new ones are made`() async throws {
        let jack = try await jack("PTT Test Split 5")
        let halves = try await Halves(of: jack.node, keys: [.playPause])
        let few = try Reader(halves.few)
        try jack.headset.press(.playPause)
        #expect(try await few.nextKey().edge == .pressed)
        // This test blocks the loop, so that nothing reads and the kernel's buffer overflows.
        try jack.headset.release(.playPause)
        for _ in 0..<1000 { try jack.tap(.volumeUp) }
        #expect(try await halves.events.next() == .eventsLost)
        var last = try await few.next()
        if case .key(let key) = last {
            #expect(key.edge == .released)
            last = try await few.next()
        }
        #expect(last == .vanished)
        #expect(try await halves.events.next() == .split)
        halves.device.close()
    }

    @Test @EventLoop func `unplugging a divided device ends both halves`() async throws {
        let jack = try await jack("PTT Test Split 6")
        let halves = try await Halves(of: jack.node, keys: [.playPause])
        let few = try Reader(halves.few)
        jack.headset.remove()
        #expect(try await halves.events.next() == .vanished)
        #expect(try await few.next() == .vanished)
    }

    @Test @EventLoop func `a node that was reused for a keyboard is not divided`() async throws {
        let keyboard = try await PluggedHeadset(
            "PTT Test Split 8",
            keys: Set((1...83).map { KeyCode(rawValue: $0) })
        )
        var node = keyboard.node
        try #require(node.isKeyboardLike)
        node.keys = [.playPause]
        node.properties = [:]
        let error = #expect(throws: SystemError.self) { try SplitDevice(node, keys: [.playPause]) { _ in } }
        #expect(error?.code == EPERM)
    }

    @Test @EventLoop func `a killed process gives the device back`() async throws {
        try #require(access("/usr/lib/udev/rules.d/71-push-to-talk.rules", R_OK) == 0)
        let jack = try await jack("PTT Test Split 7")
        let original = try Reader(jack.node, keys: [.playPause, .volumeUp])
        let monitor = NodeQueue()
        try monitor.start()
        let process = try TestProcess([TestProcess.built("ptt-keys")])
        let few = try await monitor.half(.few, of: jack.node)
        #expect(few.keys == [.playPause])
        let reader = try Reader(few)
        try jack.headset.press(.playPause)
        #expect(try await reader.nextKey().edge == .pressed)
        process.signal(SIGKILL)
        var last = try await reader.next()
        if case .key(let key) = last {
            #expect(key.edge == .released)
            last = try await reader.next()
        }
        #expect(last == .vanished)
        // Its descriptors are closed in no certain order.
        #expect(try await process.exitStatus() == -SIGKILL)
        try jack.headset.release(.playPause)
        try jack.tap(.volumeUp)
        // The release of a key that was pressed during the division may arrive before.
        var key = try await original.nextKey()
        if key.key == .playPause { key = try await original.nextKey() }
        #expect(key.key == .volumeUp)
    }

    @Test @EventLoop func `a device is divided again by another key as soon as root grants that`()
        async throws
    {
        try #require(access("/usr/lib/udev/rules.d/71-push-to-talk.rules", R_OK) == 0)
        let jack = try await jack("PTT Test Split 9")
        let monitor = NodeQueue()
        try monitor.start()
        let process = try TestProcess([TestProcess.built("ptt-keys")])
        let first = try await monitor.half(.few, of: jack.node)
        #expect(first.keys == [.playPause])
        try grant("VOLUMEUP", of: jack.node)
        let second = try await monitor.half(.few, of: jack.node, with: .volumeUp)
        #expect(second.keys == [.volumeUp])
        let rest = try await monitor.half(.rest, of: jack.node, with: .playPause)
        #expect(rest.keys == [.playPause, .volumeDown])
        let reader = try Reader(second, keys: [.volumeUp])
        try jack.tap(.volumeUp)
        #expect(try await reader.nextKey().key == .volumeUp)
        process.signal(SIGTERM)
        #expect(try await process.exitStatus() == 0)
    }

    /// Has udev apply its rules to the node, as `pttctl grant` does, with a key that a rule of
    /// `Tests/SystemTests/guest/61-device-shapes.rules` grants.
    private func grant(_ key: String, of node: InputNode) throws {
        let file = try #require(fopen("/sys/class/input/\(node.sysname)/uevent", "we"))
        defer { fclose(file) }
        // An action, any UUID, and what becomes SYNTH_ARG_GRANT (Documentation/ABI/testing/sysfs-uevent).
        fputs("change 5f2a5c1e-6a0f-4f0e-9d0c-2b7f4c1d8e36 GRANT=\(key)", file)
        try #require(fflush(file) == 0)
    }
}

/// The nodes that udev reports.
@EventLoop
private final class NodeQueue {
    private let events = AsyncQueue(of: InputDeviceEvent.self)
    private var monitor: DeviceMonitor?

    func start() throws {
        monitor = try DeviceMonitor(subsystem: "input", tag: nil) { [events] in events.add($0) }
    }

    /// udev may report the halves in any order.
    private var seen: [InputNode] = []

    func half(
        _ part: InputNode.Half,
        of node: InputNode,
        with key: KeyCode? = nil
    ) async throws -> InputNode {
        while true {
            let found = seen.first { half in
                let hasKey = key.map { half.keys.contains($0) } ?? true
                return hasKey && half.half?.part == part && half.half?.of == node.sysname
            }
            if let found { return found }
            if case .present(let node) = try await events.next() { seen.append(node) }
        }
    }
}

/// A divided device with the nodes of its halves.
@EventLoop
final class Halves {
    let device: SplitDevice
    let few: InputNode
    let rest: InputNode
    let events = AsyncQueue(of: SplitDevice.Event.self)

    init(of node: InputNode, keys: Set<KeyCode>) async throws {
        let nodes = NodeQueue()
        try nodes.start()
        device = try SplitDevice(node, keys: keys) { [events] in events.add($0) }
        let next = try await events.next()
        #expect(next == .split)
        few = try await nodes.half(.few, of: node)
        rest = try await nodes.half(.rest, of: node)
    }
}
