import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Input

/// Ports without lines, which are everywhere.
@Suite(.timeLimit(.minutes(1)))
struct SerialSwitchErrorTests {
    init() { withRunningLoop() }

    @EventLoop private func failure(_ devnode: String) async throws -> SystemError? {
        let node = InputNode(
            sysname: "ttyUSB0",
            devnode: devnode,
            name: "Adapter",
            properties: ["SUBSYSTEM": "tty"]
        )
        let events = AsyncQueue(of: KeyDeviceEvent.self)
        let port = try SerialSwitch(node, keys: Set(SerialLine.allCases.map(\.key))) { events.add($0) }
        defer { port.close() }
        guard case .failed(let error) = try await events.next() else { return nil }
        return error
    }

    @Test @EventLoop func `a terminal without lines is refused with what is missing`() async throws {
        var (controlling, terminal): (Int32, Int32) = (-1, -1)
        try #require(openpty(&controlling, &terminal, nil, nil, nil) == 0)
        defer {
            close(controlling)
            close(terminal)
        }
        let name = String(cString: try #require(ttyname(terminal)))
        let error = try #require(try await failure(name))
        #expect(error.action == "read the lines of \(name) (Adapter)")
        #expect([ENOTTY, EINVAL].contains(error.code))
    }

    @Test @EventLoop func `a port that is not there or is no terminal is refused with the reason`()
        async throws
    {
        #expect(try await failure("/dev/ttyNoSuchPort")?.code == ENOENT)
        #expect(try await failure("/dev/null")?.code == ENOTTY)
    }

    @Test @EventLoop func `a port that is closed while it is opened reports nothing`() async throws {
        let node = InputNode(sysname: "ttyUSB0", devnode: "/dev/ttyNoSuchPort", name: "Adapter")
        let events = AsyncQueue(of: KeyDeviceEvent.self)
        let port = try SerialSwitch(node, keys: [SerialLine.clearToSend.key]) { events.add($0) }
        port.close()
        await pause(.milliseconds(300))
        events.finish()
        #expect(try await events.untilEnd(within: awaitLimit) == [])
    }
}

/// A serial adapter on a simulated USB bus: as root in the virtual machine.
@Suite(
    .enabled(
        if: access(USBGadget.directory, W_OK) == 0
            && access("/usr/lib/udev/rules.d/71-push-to-talk.rules", R_OK) == 0,
        "there is no USB gadget or no installed rule here; make system-test runs this in the virtual machine"
    ),
    .serialized,
    .timeLimit(.minutes(2))
)
struct SerialSwitchTests {
    init() { withRunningLoop() }

    private static let line = SerialLine.dataSetReady.key

    /// An adapter, and the switch at it.
    @EventLoop
    private final class Adapter {
        let gadget: USBGadget
        let node: InputNode
        private(set) var events: [KeyDeviceEvent] = []
        private(set) var port: SerialSwitch?
        private let monitor: DeviceMonitor
        /// While the device's own end is open, DSR and DCD are on.
        private var end: OwnedDescriptor?

        init(_ name: String, serialNumber: String? = "1", isPressed: Bool = false) async throws {
            let nodes = AsyncQueue(of: InputDeviceEvent.self)
            monitor = try DeviceMonitor(subsystem: "tty", tag: nil) { nodes.add($0) }
            gadget = try USBGadget(name: name, vendor: "0x1234", isSerial: true, serialNumber: serialNumber)
            var found: InputNode?
            while found == nil {
                if case .present(let node) = try await nodes.next(), node.name == name { found = node }
            }
            node = try #require(found)
            if isPressed { try press() }
        }

        func open(_ keys: Set<KeyCode> = [SerialSwitchTests.line]) throws {
            port = try SerialSwitch(node, keys: keys) { [weak self] in self?.events.append($0) }
        }

        func press() throws {
            let end = OwnedDescriptor(
                adopting: Glibc.open(USBGadget.serialEnd, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            )
            guard end.value >= 0 else { throw SystemError("press the switch") }
            self.end = consume end
        }

        func release() { end = nil }

        func close() {
            port?.close()
            port = nil
            release()
            gadget.remove()
        }

        func next() async throws -> KeyDeviceEvent {
            try await until { !events.isEmpty }
            return events.removeFirst()
        }

        func nextKey() async throws -> KeyEvent {
            let event = try await next()
            guard case .key(let key) = event else { throw NotAKey(event: event) }
            return key
        }

        /// Presses until one counts: those of the first half second do not.
        func pressUntilItCounts() async throws -> KeyEvent {
            try await until {
                release()
                await pause(.milliseconds(200))
                try press()
                await pause(.milliseconds(200))
                return !events.isEmpty
            }
            return try await nextKey()
        }

        struct NotAKey: Error {
            let event: KeyDeviceEvent
        }
    }

    /// As the kernel counts those of this process.
    private static func threads() throws -> Int {
        let file = try #require(fopen("/proc/self/status", "re"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("Threads:") { return try #require(Int(text.dropFirst(8).filter(\.isNumber))) }
        }
        return 0
    }

    @Test @EventLoop func `a switch is pressed, let go and pressed again, by its line alone`() async throws {
        let adapter = try await Adapter("switch")
        try adapter.open()
        #expect(try await adapter.pressUntilItCounts().key == Self.line)
        for _ in 0..<20 {
            adapter.release()
            let released = try await adapter.nextKey()
            #expect(released.key == Self.line && released.edge == .released)
            try adapter.press()
            let pressed = try await adapter.nextKey()
            #expect(pressed.key == Self.line && pressed.edge == .pressed)
        }
        adapter.close()
    }

    @Test @EventLoop func `all lines of a port can be watched`() async throws {
        let adapter = try await Adapter("lines")
        try adapter.open(Set(SerialLine.allCases.map(\.key)))
        let first = try await adapter.pressUntilItCounts().key
        let second = try await adapter.nextKey().key
        #expect(Set([first, second]) == [SerialLine.dataSetReady.key, SerialLine.carrierDetect.key])
        adapter.close()
    }

    @Test @EventLoop func `a switch that is held when the port is opened is pressed by the next press`()
        async throws
    {
        let adapter = try await Adapter("held", isPressed: true)
        try adapter.open()
        await pause(.seconds(2))
        #expect(adapter.events.isEmpty)
        adapter.release()
        await pause(.milliseconds(200))
        try adapter.press()
        #expect(try await adapter.nextKey().edge == .pressed)
        adapter.close()
    }

    @Test @EventLoop func `a port that is unplugged while its switch is held has failed`() async throws {
        let adapter = try await Adapter("unplugged")
        try adapter.open()
        _ = try await adapter.pressUntilItCounts()
        try adapter.gadget.unplug()
        while true {
            switch try await adapter.next() {
            case .failed: return adapter.close()
            case .key: continue
            case let event: throw Adapter.NotAKey(event: event)
            }
        }
    }

    @Test @EventLoop func `a port that is closed leaves no thread behind, and can be opened again`()
        async throws
    {
        let adapter = try await Adapter("closed")
        let before = try Self.threads()
        for _ in 0..<5 {
            try adapter.open()
            _ = try await adapter.pressUntilItCounts()
            adapter.release()
            _ = try await adapter.nextKey()
            adapter.port?.close()
            try await until { try Self.threads() <= before }
        }
        adapter.close()
    }

    @Test @EventLoop func `a port that root granted is tagged, and known again by its serial number`()
        async throws
    {
        let adapter = try await Adapter("granted", serialNumber: "A50285BI")
        let node = adapter.node
        #expect(node.isSerialPort && node.id.product == 0x5680)
        #expect(node.tags.isSuperset(of: ["push-to-talk", "uaccess", "systemd"]))
        #expect(node.properties["ID_MM_PORT_IGNORE"] == "1")
        #expect(node.stableIdentifier == "serial:PTT_granted_A50285BI:00")
        adapter.close()
    }

    @Test @EventLoop
    func `any other port is not tagged, and one without a serial number is known by its socket`()
        async throws
    {
        let adapter = try await Adapter("microcontroller", serialNumber: nil)
        let node = adapter.node
        #expect(node.tags.isDisjoint(with: ["push-to-talk", "uaccess"]))
        #expect(node.properties["ID_MM_PORT_IGNORE"] == nil)
        #expect(
            node.stableIdentifier.hasPrefix("path:") && node.stableIdentifier.hasSuffix(":microcontroller")
        )
        adapter.close()
    }
}
