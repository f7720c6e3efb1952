import AccessoryCore
import PTTMessages
import TestSupport

/// Recorded events of a device and the expected effects: a ``TraceFile`` whose setting is `button` and the name of a
/// profile, or `headset` and its contact.
struct Recording: CustomStringConvertible, Sendable {
    enum Device: Sendable {
        case button(ButtonLink)
        case headset(HeadsetKey)
    }

    let file: TraceFile
    let device: Device

    var description: String { file.name }

    static func all() throws -> [Recording] {
        try DataFile.all(in: "Recordings", beside: #filePath).map { try Recording(TraceFile($0)) }
    }

    init(_ file: TraceFile) throws {
        self.file = file
        guard var words = file.settings.first else {
            throw TraceWords.Failure("\(file.name) names no device")
        }
        device =
            switch try words.next() {
            case "button":
                .button(
                    ButtonLink(
                        origin: Origin(
                            kind: .bluetoothButton,
                            identifier: "A4:C1:38:00:00:01",
                            name: "Button"
                        ),
                        profile: try words.next("profile") { name in
                            AccessoryProfile.all.first { $0.name == name }
                        }
                    )
                )
            case "headset":
                .headset(
                    HeadsetKey(
                        origin: Origin(kind: .wiredHeadset, identifier: "usb-1", name: "Headset"),
                        contact: try words.next("contact") { ["plug": .plug, "remote": .remote][$0] }
                    )
                )
            case let word: throw TraceWords.Failure("\(word) is not a kind of device")
            }
    }

    /// - Returns: The expected lines, and the actual ones.
    func replay() throws -> (expected: [String], lines: [String]) {
        var device = device
        var expected: [String] = []
        var lines: [String] = []
        for line in file.lines {
            let now = MonotonicTime(nanoseconds: 0) + line.time
            var words = line.words
            switch device {
            case .button(var link):
                guard let event = try words.buttonEvent() else {
                    expected.append(line.text)
                    continue
                }
                lines += link.handle(event, at: now).map { "\(now) \($0)" }
                device = .button(link)
            case .headset(var key):
                guard let event = try words.keyEvent() else {
                    expected.append(line.text)
                    continue
                }
                lines += key.handle(event, at: now).map { "\(now) \($0)" }
                device = .headset(key)
            }
        }
        return (expected, lines)
    }
}

extension TraceWords {
    /// Nil if the line is not an event.
    mutating func buttonEvent() throws -> ButtonLink.Event? {
        switch try next() {
        case "connected": return .connected
        case "servicesResolved": return .servicesResolved(hasCharacteristic: isAtEnd)
        case "notificationsEnabled": return .notificationsEnabled
        case "notificationsFailed": return .notificationsFailed(reason: try next())
        case "notificationsStopped": return .notificationsStopped
        case "valueNotified":
            let bytes = try next().split(separator: " ").map { UInt8($0, radix: 16) }
            return .valueNotified(bytes.compactMap(\.self))
        case "servicesGone": return .servicesGone
        case "disconnected": return .disconnected(try next("cause") { EndCause(rawValue: $0) })
        case "bluetoothLost": return .bluetoothLost
        case "renamed": return .renamed(try next())
        case "timerFired": return .timerFired
        default: return nil
        }
    }

    /// Nil if the line is not an event.
    mutating func keyEvent() throws -> HeadsetKey.Event? {
        switch try next() {
        case "keyPressed": return .keyPressed(UInt16(try number()))
        case "keyReleased": return .keyReleased(UInt16(try number()))
        case "keyResynchronised":
            return .keyResynchronised(UInt16(try number()), isPressed: try next() == "pressed")
        case "began": return .began(TransmissionID(rawValue: try number()))
        case "refused": return .refused(try next("refusal") { RefusalCode(rawValue: $0) })
        case "transmissionEnded":
            let transmissionID = TransmissionID(rawValue: try number())
            return .transmissionEnded(transmissionID, try next("cause") { EndCause(rawValue: $0) })
        case "coreLost": return .coreLost
        case "deviceRemoved": return .deviceRemoved
        case "timerFired": return .timerFired
        default: return nil
        }
    }
}
