import CLinux
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
struct SingleKeyDeviceTests {
    init() { withRunningLoop() }

    private static let key = KeyCode(rawValue: 183)  // KEY_F13
    /// Letters, digits and function keys: what pedals and macro pads claim to have.
    private static let keyboard = Set((1...88).map { KeyCode(rawValue: $0) } + [key])

    private func pedal(_ name: String) async throws -> PluggedHeadset {
        try await PluggedHeadset(name, keys: Self.keyboard)
    }

    @Test @EventLoop func `no other key of a keyboard reaches the process`() async throws {
        let pedal = try await pedal("PTT Test Pedal 1")
        let events = AsyncQueue(of: KeyDeviceEvent.self)
        // It is held while the device is opened, so that a query would show it.
        try pedal.headset.press(KeyCode(rawValue: 30))
        let device = try SingleKeyDevice(pedal.node, key: Self.key) { events.add($0) }
        var mask = [UInt8](repeating: 0xff, count: keyMask([]).count)
        #expect(clinux_evdev_get_mask(device.descriptor, 1, &mask, UInt32(mask.count)) == 0)
        #expect(mask == keyMask([Self.key]))
        for code in Self.keyboard where code != Self.key {
            try pedal.headset.release(code)
            try pedal.tap(code)
        }
        // Nothing is in the kernel's buffer for this process.
        var waiting = pollfd(fd: device.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waiting, 1, 0) == 0)
        try pedal.tap(Self.key)
        guard case .key(let pressed) = try await events.next(),
            case .key(let released) = try await events.next()
        else {
            Issue.record("not a key")
            return
        }
        #expect([pressed.key, released.key] == [Self.key, Self.key])
        #expect([pressed.edge, released.edge] == [.pressed, .released])
        #expect(!pressed.isResynchronised)
        device.close()
    }

    @Test @EventLoop func `a key that is held while the pedal is opened is not a press`() async throws {
        let pedal = try await pedal("PTT Test Pedal 2")
        let events = AsyncQueue(of: KeyDeviceEvent.self)
        try pedal.headset.press(Self.key)
        let device = try SingleKeyDevice(pedal.node, key: Self.key) { events.add($0) }
        try pedal.headset.release(Self.key)
        guard case .key(let first) = try await events.next() else {
            Issue.record("not a key")
            return
        }
        #expect(first.edge == .released)
        device.close()
    }

    @Test @EventLoop func `lost events release the key`() async throws {
        let pedal = try await pedal("PTT Test Pedal 3")
        let events = AsyncQueue(of: KeyDeviceEvent.self)
        let device = try SingleKeyDevice(pedal.node, key: Self.key) { events.add($0) }
        try pedal.headset.press(Self.key)
        guard case .key(let pressed) = try await events.next() else {
            Issue.record("not a key")
            return
        }
        #expect(pressed.edge == .pressed)
        // This test blocks the loop, so that nothing reads and the kernel's buffer overflows.
        try pedal.headset.release(Self.key)
        for _ in 0..<1000 { try pedal.tap(Self.key) }
        #expect(try await events.next() == .eventsLost)
        guard case .key(let released) = try await events.next() else {
            Issue.record("not a key")
            return
        }
        #expect(released.edge == .released)
        #expect(released.isResynchronised)
        device.close()
    }

    @Test @EventLoop func `unplugging a pedal that is held is the last event`() async throws {
        let pedal = try await pedal("PTT Test Pedal 4")
        let events = AsyncQueue(of: KeyDeviceEvent.self)
        let device = try SingleKeyDevice(pedal.node, key: Self.key) { events.add($0) }
        try pedal.headset.press(Self.key)
        guard case .key = try await events.next() else {
            Issue.record("not a key")
            return
        }
        pedal.headset.remove()
        var last = try await events.next()
        if case .key(let event) = last {
            // The kernel may or may not release it before.
            #expect(event.edge == .released)
            last = try await events.next()
        }
        #expect(last == .vanished)
        #expect(device.descriptor < 0)
    }

    @Test @EventLoop func `a key that the device does not have is refused before it is opened`() async throws
    {
        let node = InputNode(sysname: "event0", devnode: "/dev/input/does-not-exist", name: "A Pedal")
        let error = #expect(throws: SystemError.self) { try SingleKeyDevice(node, key: Self.key) { _ in } }
        #expect(error?.code == ENXIO)
        #expect(error?.action == "find KEY_F13 on /dev/input/does-not-exist (A Pedal)")
    }
}
