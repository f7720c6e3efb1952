import AccessoryCore
import AccessoryFiles
import DBus
import EventLoop
import Logging
import TestSupport
import Testing

@testable import ptt_accessoryd

/// Writes to a simulated AINA button.
@Suite(.serialized) struct AccessorySettingsTests {
    private static let service = GattUUID("127face1-cb21-11e5-93d0-0002a5d5c51b")
    private static let settings = GattUUID("127fdeaf-cb21-11e5-93d0-0002a5d5c51b")
    private static let lamp = GattUUID("127fdead-cb21-11e5-93d0-0002a5d5c51b")

    init() { withRunningLoop() }

    @EventLoop
    private final class Button {
        let settings: AccessorySettings
        private let mirror: BlueZMirror
        private let path: ObjectPath

        init(_ fixture: AccessoryFixture) async throws {
            let log = Logger(label: "") { _ in SwiftLogNoOpLogHandler() }
            let appeared = AsyncQueue(of: Bool.self)
            mirror = BlueZMirror(
                log: log,
                shouldWatch: { _ in true },
                handler: { if case .appeared = $0 { appeared.add(true) } }
            )
            mirror.start(.address(fixture.bus.address))
            _ = try await appeared.next()
            path = try #require(mirror.objects.device(address: first))
            let catalog = AccessoryFolders([TestProcess.accessories]).load()
            settings = AccessorySettings(
                path,
                try #require(catalog["aina"]),
                name: "AINA",
                restorations: [],
                mirror: mirror,
                log: log
            )
        }

        isolated deinit { mirror.close() }

        func value(_ uuid: GattUUID?) async throws -> [UInt8]? {
            let attribute = GattAttribute(
                service: try #require(AccessorySettingsTests.service),
                characteristic: try #require(uuid)
            )
            let path = try #require(mirror.objects.characteristic(of: path, matching: attribute))
            let call = RemoteInterface(
                service: "org.bluez",
                path: path,
                name: "org.bluez.GattCharacteristic1"
            )
            .call("ReadValue", [.properties([:])])
            return try await mirror.connection?.call(call).first?.asBytes
        }
    }

    @Test @EventLoop func `bits are set once, and the earlier ones are written back`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["aina"])
        try await fixture.ready()
        let button = try await Button(fixture)
        let before = try await button.value(Self.settings)
        await button.settings.writeSettings()
        #expect(try await button.value(Self.settings)?.first.map { $0 & 0x30 } == 0x30)
        let restorations = button.settings.restorations
        #expect(restorations.count == 1)
        await button.settings.writeSettings()
        #expect(button.settings.restorations == restorations)
        #expect(await button.settings.restore())
        #expect(try await button.value(Self.settings)?.first.map { $0 & 0x30 } == (before?.first ?? 0) & 0x30)
    }
}
