import AccessoryCore
import DBus
import EventLoop
import Glibc
import Logging
import TestSupport
import Testing

@testable import ptt_accessoryd

/// The serial port of a microphone, with a simulated bluetoothd.
@Suite(.serialized) struct SerialConnectorTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a port that is refused twice opens at the third attempt`() async throws {
        let fixture = try await SerialFixture(commands: ["refuse-port 2"])
        let refusal = "failed: its serial port was not opened: br-connection-refused"
        #expect(try await fixture.next() == refusal)
        #expect(try await fixture.next() == refusal)
        #expect(try await fixture.next() == "opened")
    }

    @Test @EventLoop func `after three refusals it tries without bluetoothd, and later with it again`()
        async throws
    {
        let fixture = try await SerialFixture(commands: ["refuse-port 3"])
        for _ in 1...3 { #expect(try await fixture.next().hasPrefix("failed: its serial port")) }
        // There is no such adapter, or no Bluetooth at all.
        #expect(try await fixture.next().hasPrefix("failed: could not "))
        #expect(try await fixture.next() == "opened")
        try await fixture.simulate("press")
        #expect(try await fixture.next() == "received +PTT=P")
    }

    @Test @EventLoop func `a microphone that connects by itself is not kept waiting`() async throws {
        let fixture = try await SerialFixture(commands: ["sleep"])
        #expect(
            try await fixture.next()
                == "failed: it does not answer: switch it on, keep it near, and disconnect it from other phones"
        )
        try await fixture.simulate("wake")
        try await fixture.simulate("page")
        #expect(try await fixture.next() == "opened")
    }

    @Test @EventLoop func `a port of another program, or of another device, is refused and closed`()
        async throws
    {
        let fixture = try await SerialFixture()
        #expect(try await fixture.next() == "opened")
        let stranger = try await BusConnection.open(.address(fixture.bus.address))
        let (near, far) = try UnixSocket.pair(.stream)
        defer { _ = close(near) }
        let path = try #require(fixture.link?.path)
        let name = try #require(fixture.mirror.connection?.uniqueName)
        let sent = BusDescriptor(OwnedDescriptor(adopting: far))
        let call = RemoteInterface(
            service: name,
            path: "/org/pushtotalk/serial_00001101_0000_1000_8000_00805f9b34fb",
            name: "org.bluez.Profile1"
        )
        .call("NewConnection", [.objectPath(path), .descriptor(sent), .properties([:])])
        do throws(BusError) {
            _ = try await stranger.call(call)
            Issue.record("the port was accepted")
        } catch {
            #expect(error.name == "org.bluez.Error.Rejected")
        }
        _ = sent.take()
        var byte: UInt8 = 0
        #expect(recv(near, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
        stranger.close()
    }

    @Test @EventLoop func `where another program has the ports, that is known and logged`() async throws {
        let bus = try await PrivateBus.start()
        let fixture = try await SerialFixture(on: bus, isTaken: true)
        try await fixture.untilProfiles { $0?[fixture.serviceClass] != nil }
        #expect(fixture.profiles?[fixture.serviceClass] == .refused)
        #expect(fixture.link?.isOpen == false)
    }

    @Test @EventLoop
    func `a service class that is wanted again before bluetoothd has answered is registered`() async throws {
        let fixture = try await SerialFixture()
        try await fixture.untilProfiles { $0 != nil }
        fixture.profiles?.update([])
        fixture.profiles?.update([fixture.serviceClass])
        try await fixture.untilProfiles { $0?[fixture.serviceClass] != nil }
        #expect(fixture.profiles?[fixture.serviceClass] == .accepted)
        #expect(try await fixture.first { $0 == "opened" } == "opened")
        #expect(fixture.link?.failure == nil)
    }

    @Test @EventLoop func `a port that is not used any more is closed for the microphone too`() async throws {
        let fixture = try await SerialFixture()
        #expect(try await fixture.next() == "opened")
        fixture.link?.end()
        fixture.link = nil
        #expect(try await fixture.next() == "closed")
        try await until { try await fixture.answer("press") != "ok" }
    }

    @Test @EventLoop func `noise without end closes the port`() async throws {
        let fixture = try await SerialFixture()
        #expect(try await fixture.next() == "opened")
        let noise = "raw " + String(repeating: "ff", count: 500)
        var bytes = 0
        while try await fixture.answer(noise) == "ok", bytes < 1 << 20 { bytes += 500 }
        #expect(try await fixture.first { !$0.hasPrefix("received") } == "closed")
        #expect(try await fixture.next() == "failed: it sends more than 8192 bytes in a second")
        #expect(try await fixture.next() == "opened")
    }
}

/// A ``SerialConnector`` to the simulated microphone.
@EventLoop
final class SerialFixture {
    nonisolated let bus: PrivateBus
    let serviceClass = GattUUID(assigned: 0x1101)
    var link: SerialConnector?
    private(set) var profiles: BlueZRegistration?
    private let simulator: TestProcess
    private let events = AsyncQueue(of: String.self)
    private let changes = AsyncQueue(of: Void.self)
    private var other: BusConnection?
    private(set) lazy var mirror = BlueZMirror(
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        shouldWatch: { _ in true },
        handler: { [weak self] in self?.handle($0) }
    )

    /// - Parameters:
    ///   - existing: A bus, or nil for a new one.
    ///   - isTaken: True if another program has registered the service class before.
    ///   - commands: For the simulator, before ptt-accessoryd's part starts.
    /// - Throws: If a process cannot be started.
    init(on existing: PrivateBus? = nil, isTaken: Bool = false, commands: [String] = []) async throws {
        if let existing { bus = existing } else { bus = try await PrivateBus.start() }
        simulator = try TestProcess([
            TestProcess.built("ptt-sim"), "buttons", "--bus", bus.address, "--microphone", "serial-ptt:Mic",
            "--known",
        ])
        _ = try await simulator.lines.next()
        for command in commands { try await simulate(command) }
        if isTaken {
            let other = try await BusConnection.open(.address(bus.address))
            let arguments: [BusValue] = [
                .objectPath("/other"), .string(serviceClass.text), .properties([:]),
            ]
            _ = try await other.call(
                RemoteInterface(service: "org.bluez", path: "/org/bluez", name: "org.bluez.ProfileManager1")
                    .call("RegisterProfile", arguments)
            )
            self.other = other
        }
        mirror.start(.address(bus.address))
    }

    isolated deinit {
        link?.end()
        mirror.close()
        other?.close()
        simulator.kill()
    }

    func next() async throws -> String { try await events.next() }

    func first(where isWanted: (String) -> Bool) async throws -> String {
        try await events.first(where: isWanted)
    }

    /// Waits until changes in bluetoothd have made the registrations what is wanted.
    func untilProfiles(_ isWanted: (BlueZRegistration?) -> Bool) async throws {
        let deadline = Deadline()
        while !isWanted(profiles) {
            try deadline.check()
            try await changes.next()
        }
    }

    func simulate(_ command: String) async throws {
        let answer = try await answer(command)
        guard answer == "ok" else { throw FixtureError("\(command): \(answer)") }
    }

    func answer(_ command: String) async throws -> String { try await simulator.ask(command) }

    private func handle(_ event: BlueZMirror.Event) {
        switch event {
        case .appeared(let connection): appeared(connection)
        case .lost: profiles = nil
        case .adapterChanged, .deviceChanged, .valueReceived, .advertised: break
        }
        update()
    }

    private func appeared(_ connection: BusConnection) {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let kind = BlueZRegistration.Kind.serialPorts(of: mirror.owner ?? "", log: log) { [weak self] in
            self?.update()
        } handler: { [weak self] event, path, _ in
            self?.handle(event, of: path) ?? false
        }
        profiles = BlueZRegistration(kind, on: connection, log: log)
        profiles?.update([serviceClass])
    }

    private func handle(_ event: SerialProfileEvent, of path: ObjectPath) -> Bool {
        guard let link, link.path == path else { return false }
        link.received(event)
        return true
    }

    private func update() {
        if link == nil, let path = mirror.objects.devices.keys.first {
            link = SerialConnector(
                path,
                serviceClass: serviceClass,
                mirror: mirror,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { [weak self] in
                self?.record($0)
            }
        }
        link?.update(profiles?[serviceClass])
        changes.add(())
    }

    private func record(_ event: Accessory.StreamEvent) {
        if case .bytesReceived(let bytes) = event {
            events.add("received \(String(decoding: bytes, as: UTF8.self))")
        } else if case .unavailable(let reason) = event {
            events.add("failed: \(reason)")
        } else if case .closed = event {
            events.add("closed")
        } else {
            events.add("\(event)")
        }
        changes.add(())
    }
}
