import AccessoryCore
import DBus
import EventLoop
import Journal
import Logging
import TestSupport
import Testing

@testable import ptt_accessoryd

/// Against a bluetoothd that refuses.
@Suite(.serialized) struct BlueZRegistrationTests {
    private static let adapter: ObjectPath = "/org/bluez/hci0"

    init() { withRunningLoop() }

    /// Owns BlueZ's name, and answers a registration with errors, then with success.
    @EventLoop
    private final class RefusingManager {
        nonisolated let calls = AsyncQueue(of: Bool.self)
        private(set) var count = 0
        private let connection: BusConnection
        private var object: ExportedObject?
        private var errors: [String]

        init(
            on bus: PrivateBus,
            at path: ObjectPath = BlueZRegistrationTests.adapter,
            _ interface: String = "org.bluez.GattManager1",
            _ method: String = "RegisterApplication",
            inputs: KeyValuePairs<String, String> = ["application": "o", "options": "a{sv}"],
            errors: [String]
        ) async throws {
            self.errors = errors
            connection = try await BusConnection.open(.address(bus.address))
            let register = ExportedMethod(method, inputs: inputs) { [weak self] call in
                guard let self else { return }
                count += 1
                guard let name = self.errors.first else {
                    call.reply()
                    return calls.add(true)
                }
                self.errors.removeFirst()
                call.fail(BusError(name: name, message: "no"))
                calls.add(false)
            }
            object = try connection.export(path, [ExportedInterface(interface, methods: [register])])
            _ = try await connection.requestName("org.bluez")
        }

        isolated deinit { connection.close() }
    }

    @EventLoop private static func registration(_ connection: BusConnection) -> BlueZRegistration {
        BlueZRegistration(
            .buttons,
            on: connection,
            log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() },
            backOff: BackOff(first: .milliseconds(1), limit: .milliseconds(4))
        )
    }

    @Test @EventLoop func `a registration that fails is tried again until it succeeds`() async throws {
        let bus = try await PrivateBus.start()
        let errors = Array(repeating: "org.bluez.Error.Failed", count: 40)
        let manager = try await RefusingManager(on: bus, errors: errors)
        let connection = try await BusConnection.open(.address(bus.address))
        defer { connection.close() }
        let registration = Self.registration(connection)
        registration.update(["ffe0"], managers: [Self.adapter])
        #expect(try await manager.calls.next(41) == Array(repeating: false, count: 40) + [true])
        await pause(.milliseconds(50))
        #expect(manager.count == 41)
    }

    @Test @EventLoop func `what bluetoothd does not permit is not tried again before an adapter is new`()
        async throws
    {
        let bus = try await PrivateBus.start()
        let manager = try await RefusingManager(on: bus, errors: ["org.bluez.Error.NotPermitted"])
        let connection = try await BusConnection.open(.address(bus.address))
        defer { connection.close() }
        let registration = Self.registration(connection)
        registration.update(["ffe0"], managers: [Self.adapter])
        #expect(try await manager.calls.next() == false)
        await pause(.milliseconds(50))
        #expect(manager.count == 1)
        registration.update(["ffe0"], managers: [])
        registration.update(["ffe0"], managers: [Self.adapter])
        #expect(try await manager.calls.next() == true)
    }

    // MARK: - Serial ports

    private static let serviceClass = GattUUID(assigned: 0x1101)

    /// The registration of a serial port, and what comes of it.
    @EventLoop
    private final class PortRegistration {
        nonisolated let answers = AsyncQueue(of: SerialConnection.Registration?.self)
        nonisolated let lines = AsyncQueue(of: String.self)
        let manager: RefusingManager
        private let connection: BusConnection
        private var profiles: BlueZRegistration?

        init(on bus: PrivateBus, errors: [String]) async throws {
            manager = try await RefusingManager(
                on: bus,
                at: "/org/bluez",
                "org.bluez.ProfileManager1",
                "RegisterProfile",
                inputs: ["profile": "o", "UUID": "s", "options": "a{sv}"],
                errors: errors
            )
            connection = try await BusConnection.open(.address(bus.address))
            let lines = lines
            let log = Logger(label: "") { _ in
                JournalLogHandler(isJournal: false, isPrintable: { _ in true }, write: { lines.add($0) })
            }
            let kind = BlueZRegistration.Kind.serialPorts(of: "", log: log) { [weak self] in
                guard let self else { return }
                answers.add(profiles?[serviceClass])
            } handler: { _, _, _ in
                false
            }
            profiles = BlueZRegistration(
                kind,
                on: connection,
                log: log,
                backOff: BackOff(first: .milliseconds(1), limit: .milliseconds(4))
            )
            profiles?.update([serviceClass])
        }

        isolated deinit { connection.close() }
    }

    @Test(arguments: ["org.bluez.Error.Failed", "org.freedesktop.DBus.Error.NoReply"]) @EventLoop
    func `a serial port that bluetoothd fails to register is opened directly until it is registered`(
        error: String
    ) async throws {
        let bus = try await PrivateBus.start()
        let port = try await PortRegistration(on: bus, errors: [error, error])
        let expected: [SerialConnection.Registration?] = [.refused, .refused, .accepted]
        #expect(try await port.answers.next(3) == expected)
        let line = try await port.lines.next()
        #expect(!line.contains("another program"))
        #expect(port.manager.count == 3)
    }

    @Test @EventLoop func `a serial port that another program has is not requested again`() async throws {
        let bus = try await PrivateBus.start()
        let port = try await PortRegistration(on: bus, errors: ["org.bluez.Error.NotPermitted"])
        #expect(try await port.answers.next() == .refused)
        let line = try await port.lines.next()
        #expect(line.contains("another program has the serial ports"))
        await pause(.milliseconds(50))
        #expect(port.manager.count == 1)
    }

    // MARK: - Advertisements

    /// Owns BlueZ's name, and accepts monitors of advertisements.
    @EventLoop
    private final class MonitorManager {
        nonisolated let calls = AsyncQueue(of: String.self)
        private let connection: BusConnection
        private var object: ExportedObject?
        private var client: (name: String, root: ObjectPath)?

        init(on bus: PrivateBus) async throws {
            connection = try await BusConnection.open(.address(bus.address))
            let methods = ["RegisterMonitor", "UnregisterMonitor"].map { name in
                ExportedMethod(name, inputs: ["application": "o"]) { [weak self] call in
                    self?.client = call.arguments[0].asObjectPath.map { (call.sender, $0) }
                    call.reply()
                    self?.calls.add(name)
                }
            }
            object = try connection.export(
                adapter,
                [ExportedInterface("org.bluez.AdvertisementMonitorManager1", methods: methods)]
            )
            _ = try await connection.requestName("org.bluez")
        }

        isolated deinit { connection.close() }

        func tell(_ member: String) async throws {
            let client = try #require(client)
            let path = try #require(client.root.appending("object"))
            let interface = "org.bluez.AdvertisementMonitor1"
            _ = try await connection.call(
                RemoteInterface(service: client.name, path: path, name: interface).call(member),
                timeout: .seconds(30)
            )
        }
    }

    @Test @EventLoop
    func `a monitor that bluetoothd gives up is registered anew, one that is unregistered not`()
        async throws
    {
        let bus = try await PrivateBus.start()
        let manager = try await MonitorManager(on: bus)
        let connection = try await BusConnection.open(.address(bus.address))
        defer { connection.close() }
        let changes = AsyncQueue(of: Bool.self)
        var registration: BlueZRegistration?
        registration = BlueZRegistration(
            .advertisements { key, isActive in
                if !isActive { registration?.lost(key) }
                changes.add(isActive)
            },
            on: connection,
            log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() },
            backOff: BackOff(first: .milliseconds(1), limit: .milliseconds(4))
        )
        registration?.update(["BTHome"], managers: [Self.adapter])
        #expect(try await manager.calls.next() == "RegisterMonitor")
        for _ in 0..<3 {
            try await manager.tell("Activate")
            try await manager.tell("Release")
            #expect(try await changes.next(2) == [true, false])
            #expect(try await manager.calls.next(2) == ["UnregisterMonitor", "RegisterMonitor"])
        }
        registration?.update([], managers: [Self.adapter])
        #expect(try await manager.calls.next() == "UnregisterMonitor")
        try await manager.tell("Release")
        #expect(try await changes.next() == false)
        registration?.update(["BTHome"], managers: [Self.adapter])
        #expect(try await manager.calls.next() == "RegisterMonitor")
    }
}
