import AccessoryFiles
import DBus
import EventLoop
import Logging
import TestSupport
import Testing

@testable import ptt_accessoryd

/// Against a bluetoothd that does not answer in time, or refuses.
@Suite struct DiscoveryTests {
    init() { withRunningLoop() }

    /// Owns BlueZ's name with one adapter, and answers calls of a method with errors, then with success.
    @EventLoop
    private final class ScriptedAdapter {
        nonisolated let calls = AsyncQueue(of: String.self)
        private let connection: BusConnection
        private var objects: [ExportedObject] = []
        private var errors: [String: [String]]

        init(on bus: PrivateBus, errors: [String: [String]]) async throws {
            self.errors = errors
            connection = try await BusConnection.open(.address(bus.address))
            let filter = ExportedMethod("SetDiscoveryFilter", inputs: ["properties": "a{sv}"]) { $0.reply() }
            let methods = ["StartDiscovery", "StopDiscovery"].map { name in
                ExportedMethod(name) { [weak self] in self?.answer(name, $0) }
            }
            let interface = ExportedInterface(
                "org.bluez.Adapter1",
                methods: methods + [filter],
                properties: [ExportedProperty("Powered", "b") { .boolean(true) }]
            )
            objects = [
                try connection.export("/", isManager: true),
                try connection.export("/org/bluez/hci0", [interface]),
            ]
            _ = try await connection.requestName("org.bluez")
        }

        isolated deinit { connection.close() }

        private func answer(_ method: String, _ call: MethodInvocation) {
            calls.add(method)
            guard let error = errors[method]?.first else { return call.reply() }
            errors[method]?.removeFirst()
            call.fail(BusError(name: error, message: "no"))
        }
    }

    /// Without any input device.
    @EventLoop
    private static func discovery(_ mirror: BlueZMirror) -> Discovery {
        let log = Logger(label: "") { _ in SwiftLogNoOpLogHandler() }
        let files = AccessoryFolderWatch(AccessoryFolders([]))
        let receivers = Receivers(core: PressForwarder(log: log), list: AccessoryList(), log: log)
        let headsets = Headsets(receivers, EnrolledDevices([], log: log), mirror, files)
        return Discovery(mirror, headsets, files, log: log)
    }

    @Test(arguments: ["org.bluez.Error.InProgress", "org.freedesktop.DBus.Error.NoReply"]) @EventLoop
    func `a discovery that may begin after the time limit is ended as soon as that is possible`(
        refusal: String
    ) async throws {
        let bus = try await PrivateBus.start()
        let adapter = try await ScriptedAdapter(
            on: bus,
            errors: [
                "StartDiscovery": ["org.freedesktop.DBus.Error.NoReply"],
                "StopDiscovery": [refusal, refusal],
            ]
        )
        let events = AsyncQueue(of: String.self)
        let mirror = BlueZMirror(
            log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() },
            shouldWatch: { _ in false },
            handler: { events.add("\($0)") }
        )
        mirror.start(.address(bus.address))
        _ = try await events.next()
        let discovery = Self.discovery(mirror)
        let observer = try discovery.start(for: .seconds(60), found: { _ in }, ended: { _ in })
        #expect(try await adapter.calls.next() == "StartDiscovery")
        discovery.stop(observer)
        #expect(try await adapter.calls.next() == "StopDiscovery")
        // One that is wanted meanwhile begins after that.
        _ = try discovery.start(for: .seconds(60), found: { _ in }, ended: { _ in })
        let expected = ["StopDiscovery", "StopDiscovery", "StartDiscovery"]
        #expect(try await adapter.calls.next(3) == expected)
        discovery.stopAll()
        mirror.close()
    }
}
