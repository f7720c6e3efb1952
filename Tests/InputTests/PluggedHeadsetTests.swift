import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Input

/// With the kernel's uinput and evdev and a running udevd: as root, and in the virtual machine.
@Suite(
    .needsUinput,
    .serialized,
    .timeLimit(.minutes(1))
)
struct PluggedHeadsetTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a headset is reported when plugged in and unplugged, with its udev properties`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT Test Headset 1")
        #expect(plugged.node.name == "PTT Test Headset 1")
        #expect(plugged.node.id.bus == 0x03)  // BUS_USB
        #expect(plugged.node.keys == VirtualDevice.usualKeys)
        #expect(plugged.node.properties["ID_INPUT_KEY"] == "1")
        #expect(!plugged.node.isKeyboardLike)
        plugged.headset.remove()
        #expect(try await plugged.nextDeviceEvent() == .removed(plugged.node))
    }

    @Test @EventLoop func `a headset that is already plugged in is reported at the start`() async throws {
        let plugged = try await PluggedHeadset("PTT Test Headset 2")
        var reported: [InputDeviceEvent] = []
        _ = try DeviceMonitor(subsystem: "input", tag: nil) { reported.append($0) }
        #expect(reported.contains(.present(plugged.node)))
    }

    @Test @EventLoop func `press and release arrive in order with times on the monotonic clock`() async throws
    {
        let plugged = try await PluggedHeadset("PTT Test Headset 3")
        let reader = try Reader(plugged.node)
        let before = MonotonicInstant.now
        try plugged.headset.press(.playPause)
        let pressed = try await reader.nextKey()
        try plugged.headset.release(.playPause)
        let released = try await reader.nextKey()
        #expect([pressed.edge, released.edge] == [.pressed, .released])
        // The kernel's times are whole microseconds.
        #expect(before - pressed.time < .microseconds(1))
        #expect(pressed.time <= released.time)
        #expect(released.time <= .now)
        #expect(!pressed.isResynchronised && !released.isResynchronised)
    }

    @Test @EventLoop func `only wanted keys reach the descriptor, so that others cause no wake-ups`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT Test Headset 4")
        let limited = try openedDevice(plugged.node.devnode, "limited")
        let unlimited = try openedDevice(plugged.node.devnode, "unlimited")
        defer {
            closeDevice(limited)
            closeDevice(unlimited)
        }
        #expect(limitKeys(limited, to: [.playPause]) == 0)
        try plugged.tap(.volumeUp)
        #expect(nextReading(limited, .live) == .nothing)
        #expect(nextReading(unlimited, .live) != .nothing)
        try plugged.tap(.playPause)
        #expect(nextReading(limited, .live) != .nothing)
    }

    @Test @EventLoop func `the wanted keys that the headset supports are known`() async throws {
        let plugged = try await PluggedHeadset("PTT Test Headset 5", keys: [.playPause, .volumeUp])
        let reader = try Reader(plugged.node, keys: [.playPause, .nextSong])
        #expect(reader.device.availableKeys == [.playPause])
    }

    @Test @EventLoop func `a key that is held while the headset is opened is a level and not a press`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT Test Headset 6")
        try plugged.headset.press(.playPause)
        let reader = try Reader(plugged.node)
        try plugged.headset.release(.playPause)
        let first = try await reader.nextKey()
        #expect(first.edge == .released)
        // The release was registered: only then is the next press an edge.
        try plugged.headset.press(.playPause)
        #expect(try await reader.nextKey().edge == .pressed)
    }

    @Test @EventLoop func `events lost in a full buffer end as a marked release`() async throws {
        let plugged = try await PluggedHeadset("PTT Test Headset 7")
        let reader = try Reader(plugged.node)
        try plugged.headset.press(.playPause)
        #expect(try await reader.nextKey().edge == .pressed)
        // This test blocks the loop, so that nothing reads and the kernel's buffer overflows.
        try plugged.headset.release(.playPause)
        for _ in 0..<1000 { try plugged.tap(.playPause) }
        #expect(try await reader.next() == .eventsLost)
        let released = try await reader.nextKey()
        #expect(released.edge == .released)
        #expect(released.isResynchronised)
        try plugged.headset.press(.playPause)
        let pressed = try await reader.nextKey()
        #expect(pressed.edge == .pressed)
        #expect(!pressed.isResynchronised)
    }

    @Test @EventLoop func `a press that is detected after lost events is marked as resynchronised`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT Test Headset 8")
        let reader = try Reader(plugged.node)
        for _ in 0..<1000 { try plugged.tap(.playPause) }
        try plugged.headset.press(.playPause)
        #expect(try await reader.next() == .eventsLost)
        let pressed = try await reader.nextKey()
        #expect(pressed.edge == .pressed)
        #expect(pressed.isResynchronised)
    }

    @Test @EventLoop func `taps that were lost as a whole are reported as lost events`() async throws {
        let plugged = try await PluggedHeadset("PTT Test Headset 10")
        let reader = try Reader(plugged.node)
        for _ in 0..<1000 { try plugged.tap(.playPause) }
        #expect(try await reader.next() == .eventsLost)
        // Nothing else was reported for them.
        try plugged.headset.press(.playPause)
        let pressed = try await reader.nextKey()
        #expect(pressed.edge == .pressed)
        #expect(!pressed.isResynchronised)
    }

    @Test @EventLoop func `unplugging while a key is held is reported once and as the last event`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT Test Headset 9")
        let reader = try Reader(plugged.node)
        try plugged.headset.press(.playPause)
        #expect(try await reader.nextKey().edge == .pressed)
        plugged.headset.remove()
        #expect(try await reader.next() == .vanished)
        // The descriptor is closed: its number is free again.
        reader.device.close()
        reader.device.grab()
        #expect(reader.device.grabState == .off)
    }

    @Test @EventLoop func `a keyboard is recognised before it is opened, and refused`() async throws {
        let keyboard = try await PluggedHeadset(
            "PTT Test Keyboard",
            keys: Set((1...88).map { KeyCode(rawValue: $0) })
        )
        #expect(keyboard.node.isKeyboardLike)
        #expect(keyboard.node.properties["ID_INPUT_KEYBOARD"] == "1")
        #expect(throws: SystemError.self) { try Reader(keyboard.node) }
    }

    @Test @EventLoop func `a keyboard that has replaced a headset is refused too`() async throws {
        let keyboard = try await PluggedHeadset("PTT Test Space Bar", keys: [KeyCode(rawValue: 57)])
        let stale = InputNode(sysname: keyboard.node.sysname, devnode: keyboard.node.devnode, name: "Headset")
        #expect(throws: SystemError.self) { try Reader(stale) }
    }
}
