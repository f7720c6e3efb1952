import AccessoryCore
import Foundation
import PTTMessages
import TestSupport
import Testing

@Suite struct RecordingTests {
    @Test(arguments: try Recording.all())
    func `recorded events have the expected effects`(_ recording: Recording) throws {
        let (expected, lines, text) = try recording.replay()
        if ProcessInfo.processInfo.environment["PTT_RECORD"] != nil, lines != expected {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(components: "Recordings", recording.file.name)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(!recording.file.proof.isEmpty)
        let changes = lines.difference(from: expected).map { change in
            switch change {
            case .remove(_, let line, _): "missing: \(line)"
            case .insert(_, let line, _): "unexpected: \(line)"
            }
        }
        #expect(lines == expected, "\(recording.file.proof)\n\(changes.joined(separator: "\n"))")
    }

    @Test func `an event reads back as it was printed`() throws {
        let attempt = AttemptID(rawValue: 3)
        let events: [Accessory.Event] = [
            .gatt(.connected), .gatt(.servicesResolved(found: [0])), .gatt(.servicesResolved(found: [])),
            .gatt(.servicesResolved(found: [1])), .gatt(.servicesResolved(found: [0, 1])),
            .gatt(.notificationsEnabled(0)), .gatt(.notificationsEnabled(1)),
            .gatt(.notificationsFailed(0, reason: "org.bluez.Error.Failed: \"x\"")),
            .gatt(.notificationsFailed(1, reason: "x")), .gatt(.fenceAnswered(0, .value([0x00]))),
            .gatt(.fenceAnswered(1, .refused)), .keys(.eventsLost), .keys(.plugChanged),
            .gatt(.notificationsStopped(0)), .gatt(.notificationsStopped(1)),
            .gatt(.valueNotified([], input: 0)), .gatt(.valueNotified([0x01, 0xFF], input: 1)),
            .gatt(.servicesGone), .gatt(.disconnected(.linkLost)), .gatt(.bluetoothLost),
            .stream(.opened), .stream(.closed(.linkLost)),
            .stream(.bytesReceived([0x2B, 0x50])), .keys(.pressed(164)), .keys(.released(226)),
            .keys(.resynchronised(200, isPressed: true)), .keys(.resynchronised(201, isPressed: false)),
            .keys(.deviceRemoved),
            .began(TransmissionID(rawValue: 7), attempt), .refused(.transmissionNotAllowed, attempt),
            .transmissionEnded(TransmissionID(rawValue: 7), .timeLimit), .coreLost,
            .permissionChanged(.given),
            .permissionChanged(.withheld(reason: "not enrolled", cause: .stopped)), .renamed("PTT \"1\""),
            .batteryChanged(80), .timerFired,
        ]
        for event in events {
            var words = try TraceWords("\(event)")
            #expect(try words.accessoryEvent(AttemptID(rawValue: 0)) == event)
        }
    }
}
