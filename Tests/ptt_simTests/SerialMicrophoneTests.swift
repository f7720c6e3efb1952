import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

/// The serial microphone behind the simulated bluetoothd, as devices of classic Bluetooth behave with
/// bluetoothd 5.66.
@Suite(.serialized) struct SerialMicrophoneTests {
    nonisolated private static let path: ObjectPath = "/org/bluez/hci0/dev_00_1B_DC_00_01_01"
    nonisolated private static let serviceClass = "00001101-0000-1000-8000-00805f9b34fb"

    init() { withRunningLoop() }

    @Test @EventLoop func `the port is passed before ConnectProfile is answered`() async throws {
        let client = try await Client()
        #expect(await client.connect() == nil)
        let port = try await client.port()
        #expect(try await client.fixture.simulator.ask("press 1") == "ok")
        #expect(text(port) == "+PTT=P")
        #expect(try await client.fixture.simulator.ask("release 1") == "ok")
        #expect(text(port) == "+PTT=R")
        _ = close(port)
    }

    @Test @EventLoop func `closing the descriptor alone ends nothing, and the next answer brings none`()
        async throws
    {
        let client = try await Client()
        #expect(await client.connect() == nil)
        _ = close(try await client.port())
        #expect(await client.connect() == nil)
        #expect(try await client.fixture.simulator.ask("press 1") == "ok")
        _ = try await client.call("DisconnectProfile")
        #expect(try await client.fixture.simulator.ask("press 1") != "ok")
        #expect(await client.connect() == nil)
        _ = close(try await client.port())
    }

    @Test @EventLoop func `the port survives bluetoothd, which cannot connect again until it is closed`()
        async throws
    {
        let client = try await Client()
        #expect(await client.connect() == nil)
        let port = try await client.port()
        #expect(try await client.fixture.simulator.ask("crash") == "ok")
        #expect(try await client.fixture.simulator.ask("press 1") == "ok")
        #expect(text(port) == "+PTT=P")
        #expect(try await client.fixture.simulator.ask("revive") == "ok")
        try await client.register()
        #expect(await client.connect() == "br-connection-create-socket")
        _ = close(port)
        try await until { await client.connect() == nil }
        _ = close(try await client.port())
    }

    nonisolated static let failures = [
        ("sleep 1", "br-connection-page-timeout"), ("vanish 1", "br-connection-page-timeout"),
        ("refuse-port 1 1", "br-connection-refused"), ("power off", "br-connection-adapter-not-powered"),
    ]

    @Test(arguments: failures) @EventLoop
    func `a connection that fails has bluetoothd's error`(command: String, error: String) async throws {
        let client = try await Client()
        #expect(try await client.fixture.simulator.ask(command) == "ok")
        #expect(await client.connect() == error)
    }

    @Test @EventLoop func `the end of the link, or of the port alone, ends the port`() async throws {
        for command in ["disconnect 1", "close-port 1", "power off"] {
            let client = try await Client()
            #expect(await client.connect() == nil)
            let port = try await client.port()
            #expect(try await client.fixture.simulator.ask(command) == "ok")
            #expect(text(port) == "")
            _ = close(port)
        }
    }

    @Test @EventLoop func `one program has a service class`() async throws {
        let client = try await Client()
        let error = await thrown { try await client.register("/second") }
        #expect(error?.name == "org.bluez.Error.NotPermitted")
        #expect(error?.message == "UUID already registered")
    }

    @Test(arguments: [("auto", true), ("bredr", true), ("le", false)]) @EventLoop
    func `a discovery finds it unless it is for Low Energy only`(transport: String, isFound: Bool)
        async throws
    {
        let fixture = try await SimulatorFixture("--microphone", "serial-ptt:Mic", "--button", "ffe0")
        try await fixture.adapter("SetDiscoveryFilter", .properties(["Transport": .string(transport)]))
        try await fixture.adapter("StartDiscovery")
        let wanted = transport == "bredr" ? "00_1B_DC_00_01_02" : "F0_F1_F2_F3_F4_01"
        _ = try await fixture.signals.first { $0.contains(wanted) || $0.contains("dev") }
        let objects = try await fixture.client.call(.getManagedObjects(of: "org.bluez"))
        let paths = objects.first?.asManagedObjects?.keys.map(\.text) ?? []
        #expect(paths.contains { $0.hasSuffix("00_1B_DC_00_01_02") } == isFound)
    }

    /// The text of a blocking read, with a limit of ten seconds.
    private func text(_ port: Int32) -> String {
        var poll = pollfd(fd: port, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, 10_000) == 1 else { return "nothing" }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = recv(port, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    }

    /// A program with a `Profile1` in the client role.
    @EventLoop
    private final class Client {
        let fixture: SimulatorFixture
        private let ports = AsyncQueue(of: BusDescriptor.self)
        private var objects: [ExportedObject] = []

        init() async throws {
            fixture = try await SimulatorFixture("--microphone", "serial-ptt:Mic", "--known")
            let connection = ExportedMethod(
                "NewConnection",
                inputs: ["device": "o", "fd": "h", "fd_properties": "a{sv}"]
            ) { [ports] call in
                if let port = call.arguments[1].asDescriptor { ports.add(port) }
                call.reply()
            }
            let disconnection = ExportedMethod("RequestDisconnection", inputs: ["device": "o"]) { $0.reply() }
            let profile = ExportedInterface("org.bluez.Profile1", methods: [connection, disconnection])
            objects = [try fixture.client.export("/profile", [profile])]
            try await register()
        }

        func register(_ path: ObjectPath = "/profile") async throws(BusError) {
            _ = try await fixture.call(
                "RegisterProfile",
                .objectPath(path),
                .string(serviceClass),
                .properties(["Role": .string("client")]),
                interface: "org.bluez.ProfileManager1",
                on: "/org/bluez"
            )
        }

        func call(_ member: String) async throws(BusError) -> [BusValue] {
            try await fixture.call(
                member,
                .string(serviceClass),
                interface: "org.bluez.Device1",
                on: SerialMicrophoneTests.path
            )
        }

        /// - Returns: The message of the error.
        func connect() async -> String? { await thrown { try await self.call("ConnectProfile") }?.message }

        func port() async throws -> Int32 {
            let port = try await ports.next()
            return port.take()?.release() ?? -1
        }
    }
}
