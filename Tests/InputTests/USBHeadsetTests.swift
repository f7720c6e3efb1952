import EventLoop
import Glibc
import Input
import TestSupport
import Testing

private let hwdb = "/usr/lib/udev/hwdb.d/71-push-to-talk.hwdb"

/// With a simulated USB bus and the installed hwdb file: as root in the virtual machine.
@Suite(
    .enabled(
        if: access(USBGadget.directory, W_OK) == 0 && access(hwdb, R_OK) == 0,
        "there is no USB gadget or no installed hwdb here; make system-test runs this in the virtual machine"
    ),
    .serialized,
    .timeLimit(.minutes(1))
)
struct USBHeadsetTests {
    init() { withRunningLoop() }

    /// KEY_PHONE.
    private static let hook = KeyCode(rawValue: 169)
    /// Yealink. Jabra and Plantronics have drivers of their own, which the guest does not.
    private static let vendor = "0x6993"

    /// The event nodes of a gadget, in the order in which they appear.
    @EventLoop private func nodes(_ count: Int, of product: String) async throws -> [InputNode] {
        let events = AsyncQueue(of: InputDeviceEvent.self)
        let monitor = try DeviceMonitor(subsystem: "input", tag: nil) { events.add($0) }
        defer { withExtendedLifetime(monitor) {} }
        var found: [InputNode] = []
        while found.count < count {
            guard case .present(let node) = try await events.next(), node.name.hasPrefix("PTT \(product)"),
                !found.contains(where: { $0.devnode == node.devnode })
            else { continue }
            found.append(node)
        }
        return found
    }

    @Test @EventLoop func `the hook of a telephony headset is a key that is down while it is off the hook`()
        async throws
    {
        let gadget = try USBGadget(name: "hook", vendor: Self.vendor, [.telephony])
        let node = try #require(try await nodes(2, of: "hook").first { $0.name == "PTT hook" })
        #expect(node.keys.contains(Self.hook))
        #expect(node.id.bus == InputNode.ID.usb)
        let events = AsyncQueue(of: KeyDeviceEvent.self)
        let device = try KeyDevice(node, keys: [Self.hook]) { events.add($0) }
        try gadget.send([2, 1])
        guard case .key(let pressed) = try await events.next() else {
            Issue.record("not a key")
            return
        }
        #expect(pressed.key == Self.hook)
        #expect(pressed.edge == .pressed)
        try gadget.send([2, 0])
        guard case .key(let released) = try await events.next() else {
            Issue.record("not a key")
            return
        }
        #expect(released.edge == .released)
        device.close()
        gadget.remove()
    }

    @Test @EventLoop func `the media keys beside a keyboard that has no boot protocol are recognised`()
        async throws
    {
        let gadget = try USBGadget(name: "typing", vendor: "0x1234", [.keyboard, .mediaKeys])
        // The order of the nodes is that in which the kernel made them.
        let nodes = try await nodes(2, of: "typing")
        #expect(nodes.count { $0.isKeyboardLike } == 1)
        #expect(nodes.count { !$0.isKeyboardLike && $0.isBesideKeyboard } == 1)
        gadget.remove()
    }

    @Test @EventLoop func `media keys alone are not beside a keyboard`() async throws {
        let gadget = try USBGadget(name: "media", vendor: "0x1234", [.mediaKeys])
        #expect(try await nodes(1, of: "media").map(\.isBesideKeyboard) == [false])
        gadget.remove()
    }

    @Test @EventLoop func `a keyboard that is divided shows the lights that the desktop sets`() async throws {
        let gadget = try USBGadget(name: "lights", vendor: "0x1234", [.litKeyboard])
        let node = try #require(try await nodes(1, of: "lights").first)
        let lights = AsyncQueue(of: UInt8?.self)
        let reports = try GadgetReports { lights.add($0.first) }
        // KEY_F13.
        let halves = try await Halves(of: node, keys: [KeyCode(rawValue: 183)])
        for isOn in [true, false] {
            try setCapsLock(isOn, at: halves.rest)
            _ = try await lights.first { $0.map { $0 & 0b10 != 0 } == isOn }
        }
        halves.device.close()
        withExtendedLifetime(reports) { gadget.remove() }
    }

    /// The events that a desktop writes: `EV_LED`, `LED_CAPSL`, and the end of the report, of
    /// `struct input_event`.
    private func setCapsLock(_ isOn: Bool, at node: InputNode) throws {
        let time = [UInt8](repeating: 0, count: 2 * MemoryLayout<Int>.size)
        let bytes = time + [0x11, 0, 1, 0, isOn ? 1 : 0, 0, 0, 0] + time + [0, 0, 0, 0, 0, 0, 0, 0]
        let descriptor = OwnedDescriptor(adopting: open(node.devnode, O_WRONLY | O_CLOEXEC))
        try #require(write(descriptor.value, bytes, bytes.count) == bytes.count)
    }
}
