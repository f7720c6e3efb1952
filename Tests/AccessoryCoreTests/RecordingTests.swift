import AccessoryCore
import PTTMessages
import TestSupport
import Testing

@Suite struct RecordingTests {
    @Test(arguments: try Recording.all())
    func `recorded events have the expected effects`(_ recording: Recording) throws {
        let (expected, lines) = try recording.replay()
        #expect(!recording.file.proof.isEmpty)
        let changes = lines.difference(from: expected).map { change in
            switch change {
            case .remove(_, let line, _): "missing: \(line)"
            case .insert(_, let line, _): "unexpected: \(line)"
            }
        }
        #expect(lines == expected, "\(recording.file.proof)\n\(changes.joined(separator: "\n"))")
    }

    @Test func `an event of a button reads back as it was printed`() throws {
        let events: [ButtonLink.Event] = [
            .connected, .servicesResolved(hasCharacteristic: true),
            .servicesResolved(hasCharacteristic: false),
            .notificationsEnabled, .notificationsFailed(reason: "org.bluez.Error.Failed: \"x\""),
            .notificationsStopped, .valueNotified([]), .valueNotified([0x01, 0xFF]), .servicesGone,
            .disconnected(.linkLost), .bluetoothLost, .renamed("PTT \"1\""), .timerFired,
        ]
        for event in events {
            var words = try TraceWords("\(event)")
            #expect(try words.buttonEvent() == event)
        }
    }

    @Test func `an event of a headset reads back as it was printed`() throws {
        let events: [HeadsetKey.Event] = [
            .keyPressed(164), .keyReleased(226), .keyResynchronised(200, isPressed: true),
            .keyResynchronised(201, isPressed: false), .began(TransmissionID(rawValue: 7)),
            .refused(.transmissionNotAllowed), .transmissionEnded(TransmissionID(rawValue: 7), .timeLimit),
            .coreLost, .deviceRemoved, .timerFired,
        ]
        for event in events {
            var words = try TraceWords("\(event)")
            #expect(try words.keyEvent() == event)
        }
    }
}
