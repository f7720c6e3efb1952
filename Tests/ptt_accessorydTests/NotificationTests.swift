import AccessoryCore
import AccessoryFiles
import DBus
import EventLoop
import Logging
import PTTMessages
import TestSupport
import Testing

@testable import ptt_accessoryd

/// Effects of other clients of bluetoothd on a button that is in use.
@Suite(.serialized) struct NotificationTests {
    init() { withRunningLoop() }

    /// Another client of bluetoothd, such as that of another user.
    @EventLoop
    private struct Stranger {
        static let button: ObjectPath =
            "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_01/service000a/char000b"

        let connection: BusConnection

        init(_ fixture: AccessoryFixture) async throws {
            connection = try await BusConnection.open(.address(fixture.bus.address))
        }

        @discardableResult
        func call(_ member: String, _ arguments: [BusValue] = []) async throws -> [BusValue] {
            try await connection.call(
                RemoteInterface(
                    service: "org.bluez",
                    path: Self.button,
                    name: "org.bluez.GattCharacteristic1"
                )
                .call(member, arguments)
            )
        }

        func read() async throws -> [UInt8]? {
            try await call("ReadValue", [.properties([:])]).first?.asBytes
        }
    }

    /// Waits until what came before was handled, with a value that means nothing.
    private func next(_ fixture: AccessoryFixture) async throws -> AccessoryEvent {
        try await fixture.simulate("raw ff")
        return try await fixture.events.first { [.pressed, .released, .ignored].contains($0.kind) }
    }

    @Test @EventLoop func `a value that another program reads is no press and no tap`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["itag"])
        try await fixture.ready()
        let stranger = try await Stranger(fixture)
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.next(.pressed)
        for _ in 0..<20 { #expect(try await stranger.read() == [0x01]) }
        #expect(try await next(fixture).value == "ff")
    }

    @Test @EventLoop func `a value that another program reads is no release`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        let stranger = try await Stranger(fixture)
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.next(.pressed)
        try await fixture.simulate("stored 00")
        for _ in 0..<20 { #expect(try await stranger.read() == [0x00]) }
        try await fixture.simulate("release")
        #expect(try await fixture.next(.released).value == "00")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("stored 01")
        for _ in 0..<20 { #expect(try await stranger.read() == [0x01]) }
        #expect(try await next(fixture).value == "ff")
    }

    @Test @EventLoop func `a tap is one tap while another program listens to the button`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["itag"])
        try await fixture.ready()
        let stranger = try await Stranger(fixture)
        try await stranger.call("StartNotify")
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.next(.pressed)
        #expect(try await next(fixture).value == "ff")
        withExtendedLifetime(stranger) {}
    }

    @Test @EventLoop func `a button that is not used any more is not listened to`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        let stranger = try await Stranger(fixture)
        let changes = AsyncQueue(of: Bool.self)
        let watch = stranger.connection.subscribe(
            RemoteInterface(
                service: "org.bluez",
                path: Stranger.button,
                name: "org.bluez.GattCharacteristic1"
            ).propertyChanges
        ) { signal in
            if let isOn = signal.propertyChanges?.changed["Notifying"]?.asBool { changes.add(isOn) }
        }
        try EnrolmentFile.edit(fixture.enrolmentFile) { text in
            _ = try text.remove(AccessoryFixture.address(of: 1))
        }
        #expect(try await changes.next() == false)
        try fixture.enrol()
        #expect(try await changes.next() == true)
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        withExtendedLifetime(watch) {}
    }

    /// A characteristic that answers `StartNotify` when it is told to.
    @EventLoop
    private final class SlowCharacteristic {
        let calls = AsyncQueue(of: String.self)
        private var unanswered: [MethodInvocation] = []

        var interface: ExportedInterface {
            ExportedInterface(
                "org.bluez.GattCharacteristic1",
                methods: [
                    ExportedMethod("StartNotify") { [unowned self] call in
                        unanswered.append(call)
                        calls.add("StartNotify")
                    },
                    ExportedMethod("StopNotify") { [unowned self] call in
                        call.reply()
                        calls.add("StopNotify")
                    },
                ]
            )
        }

        func answer() async throws {
            #expect(try await calls.next() == "StartNotify")
            unanswered.removeFirst().reply()
        }
    }

    /// After that bluetoothd turns them on no more over the same link.
    @Test @EventLoop func `notifications are not turned off while they are being turned on`() async throws {
        final class User {}
        let bus = try await PrivateBus.start()
        let blueZ = try await BusConnection.open(.address(bus.address))
        #expect(try await blueZ.requestName("org.bluez"))
        let characteristic = SlowCharacteristic()
        let object = try blueZ.export(Stranger.button, [characteristic.interface])
        let notifications = Notifications(log: Logger(label: "test"))
        let events = AsyncQueue(of: Bool.self)
        let connection = try await BusConnection.open(.address(bus.address))
        notifications.connect(beside: connection) { events.add(true) }
        #expect(try await events.next())
        let (old, new) = (User(), User())
        notifications.start(Stranger.button, for: old) { result in events.add((try? result.get()) != nil) }
        notifications.stop(Stranger.button, for: old)
        notifications.start(Stranger.button, for: new) { result in events.add((try? result.get()) != nil) }
        for _ in 0..<2 { try await characteristic.answer() }
        #expect(try await events.next() == false)
        for _ in 0..<2 { try await characteristic.answer() }
        #expect(try await events.next())
        notifications.stop(Stranger.button, for: new)
        #expect(try await characteristic.calls.next(2) == ["StopNotify", "StopNotify"])
        // Also where nobody needs them any more.
        notifications.start(Stranger.button, for: old) { _ in }
        notifications.stop(Stranger.button, for: old)
        for _ in 0..<2 { try await characteristic.answer() }
        #expect(try await characteristic.calls.next(2) == ["StopNotify", "StopNotify"])
        notifications.close()
        object.withdraw()
        blueZ.close()
    }
}
