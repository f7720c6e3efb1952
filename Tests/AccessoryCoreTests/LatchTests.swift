import PTTMessages
import TestSupport
import Testing

@testable import AccessoryCore

/// A button that a tap keeps on: each line of a test is a time in seconds, what happens, and the orders about
/// the microphone.
@Suite struct LatchTests {
    private typealias Step = (Double, Accessory.Event, [Accessory.Effect])

    private static let press = Accessory.Event.keys(.pressed(164))
    private static let release = Accessory.Event.keys(.released(164))
    private static let emergencyPress = Accessory.Event.keys(.pressed(165))
    private static let emergencyRelease = Accessory.Event.keys(.released(165))

    private static func begin(_ number: Int, _ role: ButtonRole = .talk) -> Accessory.Effect {
        .begin(AttemptID(rawValue: number), role)
    }

    private static func began(_ number: Int) -> Accessory.Event {
        .began(TransmissionID(rawValue: number), AttemptID(rawValue: number))
    }

    private func run(_ steps: [Step], shortestPress: Duration = .zero) {
        let definition = AccessoryDefinition(
            identifier: "pedal",
            name: "Pedal",
            confidence: .learned,
            match: AccessoryMatch(),
            input: .keys(KeyInput(meanings: [164: .button(.talk), 165: .button(.emergency)])),
            gesture: GestureSettings(shortestPress: shortestPress)
        )
        var accessory = Accessory(definition, origin: .headset, mode: .latch)
        for (time, event, expected) in steps {
            let effects = accessory.handle(event, at: seconds(time))
            let orders = effects.filter {
                switch $0 {
                case .begin, .end, .letGo, .latch, .report: true
                case .subscribe, .fence, .disconnect, .setTimer, .cancelTimer, .publish: false
                }
            }
            #expect(orders == expected, "\(time) s: \(event)")
        }
    }

    @Test func `a tap keeps it on, and the next press ends it, not its release`() {
        run([
            (1, Self.press, [Self.begin(1)]), (1.2, Self.release, [.latch(.talk)]), (1.3, Self.began(1), []),
            (9, Self.press, [.end(.released, .talk)]), (9.1, Self.release, []),
            (20, Self.press, [Self.begin(2)]), (20.1, Self.release, [.latch(.talk)]),
            // Held for long it ends with the press as well.
            (30, Self.press, [.end(.released, .talk)]), (35, Self.release, []),
        ])
    }

    @Test func `what is held for longer than a tap ends with its release`() {
        run([
            (1, Self.press, [Self.begin(1)]), (1.1, Self.began(1), []),
            (1.3, Self.release, [.end(.released, .talk)]), (5, Self.press, [Self.begin(2)]),
        ])
    }

    @Test func `of a double tap the second press ends it`() {
        run([
            (1, Self.press, [Self.begin(1)]), (1.08, Self.release, [.latch(.talk)]),
            (1.2, Self.press, [.end(.released, .talk)]), (1.28, Self.release, []),
            // A third one begins nothing so soon, as with a toggle.
            (1.4, Self.press, []), (1.48, Self.release, []), (2, Self.press, [Self.begin(2)]),
        ])
    }

    @Test func `a contact that bounces leaves nothing on that it does not hold`() {
        run([
            (1, Self.press, [Self.begin(1)]), (1.004, Self.release, [.latch(.talk)]),
            (1.006, Self.press, [.end(.released, .talk)]), (3, Self.release, []),
        ])
    }

    @Test func `a contact that is too short neither latches nor ends`() {
        run(
            [
                (1, Self.press, []), (1.01, Self.release, []),
                (2, Self.press, []), (2.06, .timerFired, [Self.begin(1)]),
                (2.1, Self.release, [.latch(.talk)]), (3, Self.press, []), (3.01, Self.release, []),
                (4, Self.press, []), (4.06, .timerFired, [.end(.released, .talk)]), (4.1, Self.release, []),
                // The timer is late: a tap latches, what was held has ended.
                (6, Self.press, []), (6.2, Self.release, [Self.begin(2), .latch(.talk)]),
                (8, Self.press, []), (8.2, Self.release, [.end(.released, .talk)]),
                (10, Self.press, []), (11, Self.release, [Self.begin(3), .end(.released, .talk)]),
            ],
            shortestPress: .milliseconds(50)
        )
    }

    @Test(arguments: [
        (Accessory.Event.keys(.plugChanged), EndCause.deviceRemoved),
        (.keys(.deviceRemoved), .deviceRemoved),
        (.keys(.eventsLost), .released), (.keys(.resynchronised(30, isPressed: true)), .released),
        (
            .permissionChanged(.withheld(reason: "another session is active", cause: .sessionInactive)),
            .sessionInactive
        ),
    ])
    func `what could end it is lost, and it ends`(_ loss: Accessory.Event, _ cause: EndCause) {
        let latched: [Step] = [
            (1, Self.press, [Self.begin(1)]), (1.1, Self.release, [.latch(.talk)]), (1.2, Self.began(1), []),
        ]
        run(latched + [(2, loss, [.end(cause, nil)])])
        guard loss == .keys(.eventsLost) else { return }
        run(latched + [(2, loss, [.end(cause, nil)]), (9, Self.press, [Self.begin(2)])])
    }

    @Test(arguments: [EndCause.stopped, .callActive, .suspended, .sessionInactive, .preempted])
    func `after any end of the core the next press begins`(_ cause: EndCause) {
        run([
            (1, Self.press, [Self.begin(1)]), (1.1, Self.release, [.latch(.talk)]), (1.2, Self.began(1), []),
            (5, .transmissionEnded(TransmissionID(rawValue: 1), cause), []), (9, Self.press, [Self.begin(2)]),
            (12, Self.release, [.end(.released, .talk)]),
        ])
    }

    @Test func `the time limit is told of the release, so that the next press begins`() {
        run([
            (1, Self.press, [Self.begin(1)]), (1.1, Self.release, [.latch(.talk)]), (1.2, Self.began(1), []),
            (61, .transmissionEnded(TransmissionID(rawValue: 1), .timeLimit), [.end(.released, .talk)]),
            (70, Self.press, [Self.begin(2)]), (70.1, Self.began(2), []),
            // Held past the limit, it is released later.
            (130, .transmissionEnded(TransmissionID(rawValue: 2), .timeLimit), []),
            (131, Self.release, [.end(.released, .talk)]),
        ])
    }

    @Test func `the core is lost, and the next press begins`() {
        run([
            (1, Self.press, [Self.begin(1)]), (1.1, Self.release, [.latch(.talk)]), (1.2, Self.began(1), []),
            (5, .coreLost, []), (9, Self.press, [Self.begin(2)]), (9.05, .coreLost, []),
            // Nothing is kept on that is lost already.
            (9.1, Self.release, [.end(.released, .talk)]),
        ])
    }

    @Test func `a begin that is refused never latches, before and after the tap`() {
        let refusal = Accessory.Event.refused(.callActive, AttemptID(rawValue: 1))
        run([
            (1, Self.press, [Self.begin(1)]), (1.05, refusal, []),
            (1.1, Self.release, [.end(.released, .talk)]), (5, Self.press, [Self.begin(2)]),
        ])
        run([
            (1, Self.press, [Self.begin(1)]), (1.1, Self.release, [.latch(.talk)]), (1.2, refusal, []),
            (5, Self.press, [Self.begin(2)]),
        ])
        // The application may have been told of the press: it is told of the release.
        run([
            (1, Self.press, [Self.begin(1)]), (1.1, Self.release, [.latch(.talk)]),
            (1.2, .refused(.transmissionNotAllowed, AttemptID(rawValue: 1)), [.end(.released, .talk)]),
        ])
    }

    @Test func `an emergency takes the place of what is kept on, and is kept on itself`() {
        run([
            (1, Self.press, [Self.begin(1)]), (1.1, Self.release, [.latch(.talk)]), (1.2, Self.began(1), []),
            (5, Self.emergencyPress, [.end(.released, .talk), Self.begin(2, .emergency)]),
            (5.1, Self.began(2), []), (5.2, Self.emergencyRelease, [.latch(.emergency)]),
            // The talk button does not end it.
            (8, Self.press, []), (8.1, Self.release, []),
            (9, Self.emergencyPress, [.end(.released, .emergency)]), (9.1, Self.emergencyRelease, []),
        ])
    }

    @Test func `presses that no person can make are a fault, and nothing stays on`() {
        var steps: [Step] = []
        var attempt = 0
        for count in 0..<10 {
            let time = 1 + Double(count) * 0.5
            if count.isMultiple(of: 2) {
                attempt += 1
                steps += [
                    (time, Self.press, [Self.begin(attempt)]), (time + 0.1, Self.release, [.latch(.talk)]),
                ]
            } else {
                steps += [(time, Self.press, [.end(.released, .talk)]), (time + 0.1, Self.release, [])]
            }
        }
        run(steps + [(6, Self.press, []), (6.1, Self.release, [])])
    }

    @Test func `a value that may be a release ends it, and is no tap`() throws {
        var accessory = Accessory(try ShippedAccessories.file("ffe0"), origin: .button, mode: .latch)
        for event: Accessory.GattEvent in [
            .connected, .servicesResolved(found: [0]), .notificationsEnabled(0),
            .fenceAnswered(0, .value([0x00])),
        ] {
            _ = accessory.handle(.gatt(event), at: seconds(1))
        }
        func orders(_ event: Accessory.Event, _ time: Double) -> Accessory.Effect? {
            accessory.handle(event, at: seconds(time)).first
        }
        #expect(orders(.gatt(.valueNotified([0x01], input: 0)), 2) == Self.begin(1))
        #expect(orders(.gatt(.valueNotified([0x07], input: 0)), 2.1) == .end(.released, .talk))
        _ = accessory.handle(.gatt(.valueNotified([0x00], input: 0)), at: seconds(3))
        #expect(orders(.gatt(.valueNotified([0x01], input: 0)), 4) == Self.begin(2))
        #expect(orders(.gatt(.valueNotified([0x00], input: 0)), 4.1) == .latch(.talk))
        #expect(orders(.gatt(.disconnected(.linkLost)), 9) == .end(.linkLost, nil))
    }

    @Test func `a second characteristic that repeats a tap ends nothing`() {
        let inputs = (1...2).map {
            GattInput(
                attribute: GattAttribute(
                    service: GattUUID(assigned: 0xFFE0),
                    characteristic: GattUUID(assigned: 0xFFE0 + UInt32($0))
                ),
                decoder: .bytes([BytePattern([0x01], [.down(.talk)]), BytePattern([0x00], [.up(.talk)])])
            )
        }
        let definition = AccessoryDefinition(
            identifier: "two",
            name: "Two",
            confidence: .learned,
            match: AccessoryMatch(),
            input: .gatt(inputs),
            gesture: GestureSettings(mode: .latch)
        )
        var accessory = Accessory(definition, origin: .button)
        for event: Accessory.GattEvent in [
            .connected, .servicesResolved(found: [0, 1]), .notificationsEnabled(0), .notificationsEnabled(1),
            .fenceAnswered(0, .value([0x00])), .fenceAnswered(1, .value([0x00])),
        ] {
            _ = accessory.handle(.gatt(event), at: seconds(1))
        }
        var orders: [Accessory.Effect] = []
        for (time, byte, input): (Double, UInt8, Int) in [
            (2, 1, 0), (2.1, 0, 0), (2.11, 1, 1), (2.12, 0, 1), (5, 1, 0),
        ] {
            let event = Accessory.Event.gatt(.valueNotified([byte], input: input))
            orders += accessory.handle(event, at: seconds(time)).filter {
                if case .publish = $0 { false } else { true }
            }
        }
        #expect(orders == [Self.begin(1), .latch(.talk), .end(.released, .talk)])
    }

    @Test func `a button that reports no release toggles in place of latching`() throws {
        let tapped = try ShippedAccessories.file("itag")
        #expect(Accessory(tapped, origin: .button, mode: .latch).device.mode == .toggle)
        #expect(
            Accessory(try ShippedAccessories.file("ffe0"), origin: .button, mode: .latch).device.mode
                == .latch
        )
    }
}
