import AccessoryCore
import PTTMessages
import TestSupport
import Testing

@Suite struct AccessoryTests {
    @Test(arguments: ["ffe0", "aina", "nordic-led-button"])
    func `with every family an observed press begins, and its release ends`(_ name: String) throws {
        var accessory = try ready(name)
        #expect(accessory.device.link == .ready)
        #expect(
            accessory.handle(.gatt(.valueNotified([0x01], input: 0)), at: seconds(2)).first
                == .begin(AttemptID(rawValue: 1), .talk)
        )
        #expect(accessory.device.isPressed)
        #expect(
            accessory.handle(.gatt(.valueNotified([0x00], input: 0)), at: seconds(3)).first
                == .end(.released, .talk)
        )
        #expect(!accessory.device.isPressed)
    }

    @Test(
        arguments: ["ffe0", "aina", "nordic-led-button"],
        [
            Accessory.GattEvent.connected, .servicesResolved(found: []), .notificationsStopped(0),
            .servicesGone, .disconnected(.linkLost), .bluetoothLost,
        ]
    )
    func `with every family any loss while it is pressed ends immediately`(
        _ name: String,
        _ loss: Accessory.GattEvent
    ) throws {
        var accessory = try ready(name)
        _ = accessory.handle(.gatt(.valueNotified([0x01], input: 0)), at: seconds(2))
        #expect(accessory.handle(.gatt(loss), at: seconds(3)).first == .end(.linkLost, nil))
        #expect(!accessory.device.isPressed)
    }

    @Test func `noise without a line end swallows no press of a microphone silently`() throws {
        var microphone = Accessory(try ShippedAccessories.file("serial-b01"), origin: .button)
        _ = microphone.handle(.stream(.opened), at: seconds(0))
        _ = microphone.handle(.timerFired, at: seconds(1))
        _ = microphone.handle(.stream(.bytesReceived([0xFF])), at: seconds(2))
        // It may be the end of the same text.
        let early = microphone.handle(.stream(.bytesReceived(Array("1".utf8))), at: seconds(3))
        #expect(early.contains { if case .publish(let event) = $0 { event.kind == .ignored } else { false } })
        _ = microphone.handle(.stream(.bytesReceived(Array("0".utf8))), at: seconds(4))
        #expect(
            microphone.handle(.stream(.bytesReceived(Array("1".utf8))), at: seconds(7)).first
                == .begin(AttemptID(rawValue: 1), .talk)
        )
    }

    private func ready(_ name: String) throws -> Accessory {
        var accessory = Accessory(try ShippedAccessories.file(name), origin: .button)
        _ = accessory.handle(.gatt(.connected), at: seconds(0))
        #expect(accessory.handle(.gatt(.servicesResolved(found: [0])), at: seconds(0)).first == .subscribe(0))
        _ = accessory.handle(.gatt(.notificationsEnabled(0)), at: seconds(0))
        _ = accessory.handle(.gatt(.fenceAnswered(0, .value([0x00]))), at: seconds(1))
        return accessory
    }
}

func seconds(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds * 1_000_000_000))
}
