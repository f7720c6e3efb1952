import AccessoryCore
import PTTMessages
import TestSupport

/// Recorded events of a device and the expected effects: a ``TraceFile`` whose setting is `button` and the
/// name of a profile, or `headset` and its contact.
struct Recording: CustomStringConvertible, Sendable {
    let file: TraceFile
    let accessory: Accessory

    var description: String { file.name }

    static func all() throws -> [Recording] {
        try DataFile.all(in: "Recordings", beside: #filePath).map { try Recording(TraceFile($0)) }
    }

    init(_ file: TraceFile) throws {
        self.file = file
        guard var words = file.settings.first else {
            throw TraceWords.Failure("\(file.name) names no device")
        }
        let catalog = try ShippedAccessories.catalog()
        accessory =
            switch try words.next() {
            case "button":
                Accessory(
                    try words.next("profile") { name in
                        catalog.entries.map(\.definition).first { $0.name == name }
                    },
                    origin: .button
                )
            case "headset":
                Accessory(
                    try words.next("contact") {
                        ["plug": catalog["headset-jack"], "remote": catalog["headset-avrcp"]][$0] ?? nil
                    },
                    origin: .headset
                )
            case let word: throw TraceWords.Failure("\(word) is not a kind of device")
            }
    }

    /// - Returns: The expected lines, the actual ones, and the file with these.
    func replay() throws -> (expected: [String], lines: [String], text: String) {
        var accessory = accessory
        var expected: [String] = []
        var lines: [String] = []
        var text = file.heading
        var lastAttempt = AttemptID(rawValue: 0)
        for line in file.lines {
            let now = MonotonicTime(nanoseconds: 0) + line.time
            var words = line.words
            guard let event = try words.accessoryEvent(lastAttempt) else {
                expected.append(line.text)
                continue
            }
            let effects = accessory.handle(event, at: now)
            for case .begin(let attempt, _) in effects { lastAttempt = attempt }
            lines += effects.map { "\(now) \($0)" }
            text += "\(line.text)\n" + effects.map { "  \(now) \($0)\n" }.joined()
        }
        return (expected, lines, text)
    }
}

extension Origin {
    static let button = Origin(
        kind: .bluetoothButton,
        identifier: "A4:C1:38:00:00:01",
        name: "Button"
    )
    static let headset = Origin(kind: .wiredHeadset, identifier: "usb-1", name: "Headset")
}

extension TraceWords {
    /// Nil if the line is not an event. An answer of the core that names no attempt is about the last one.
    mutating func accessoryEvent(_ lastAttempt: AttemptID) throws -> Accessory.Event? {
        switch try next() {
        case "connected": return .gatt(.connected)
        case "sharedLinkConnected": return .gatt(.sharedLinkConnected)
        case "servicesResolved": return .gatt(.servicesResolved(found: try found()))
        case "notificationsEnabled": return .gatt(.notificationsEnabled(try input()))
        case "notificationsFailed":
            let reason = try next()
            return .gatt(.notificationsFailed(try input(), reason: reason))
        case "fenceAnswered":
            let value = try bytes()
            return .gatt(.fenceAnswered(try input(), .value(value)))
        case "fenceRefused": return .gatt(.fenceAnswered(try input(), .refused))
        case "fenceNotConnected": return .gatt(.fenceAnswered(try input(), .notConnected))
        case "notificationsStopped": return .gatt(.notificationsStopped(try input()))
        case "valueNotified":
            let bytes = try bytes()
            return .gatt(.valueNotified(bytes, input: try input()))
        case "valueSeen":
            let bytes = try bytes()
            return .gatt(.valueSeen(bytes, input: try input()))
        case "servicesGone": return .gatt(.servicesGone)
        case "disconnected": return .gatt(.disconnected(try next("cause") { EndCause(rawValue: $0) }))
        case "bluetoothLost": return .gatt(.bluetoothLost)
        case "opened": return .stream(.opened)
        case "closed": return .stream(.closed(try next("cause") { EndCause(rawValue: $0) }))
        case "bytesReceived": return .stream(.bytesReceived(try bytes()))
        case "keyPressed": return .keys(.pressed(UInt16(try number())))
        case "keyReleased": return .keys(.released(UInt16(try number())))
        case "keyResynchronised":
            return .keys(.resynchronised(UInt16(try number()), isPressed: try next() == "pressed"))
        case "eventsLost": return .keys(.eventsLost)
        case "plugChanged": return .keys(.plugChanged)
        case "deviceRemoved": return .keys(.deviceRemoved)
        case "began":
            let transmission = TransmissionID(rawValue: try number())
            return .began(transmission, try attempt() ?? lastAttempt)
        case "refused":
            let code = try next("refusal") { RefusalCode(rawValue: $0) }
            return .refused(code, try attempt() ?? lastAttempt)
        case "transmissionEnded":
            let transmission = TransmissionID(rawValue: try number())
            return .transmissionEnded(transmission, try next("cause") { EndCause(rawValue: $0) })
        case "coreLost": return .coreLost
        case "permissionGiven": return .permissionChanged(.given)
        case "permissionWithheld":
            let reason = try next()
            let cause = try next("cause") { EndCause(rawValue: $0) }
            return .permissionChanged(.withheld(reason: reason, cause: cause))
        case "renamed": return .renamed(try next())
        case "batteryChanged": return .batteryChanged(try number())
        case "timerFired": return .timerFired
        default: return nil
        }
    }

    private mutating func input() throws -> Int { isAtEnd ? 0 : try number() }

    private mutating func attempt() throws -> AttemptID? {
        isAtEnd ? nil : AttemptID(rawValue: try number())
    }

    private mutating func bytes() throws -> [UInt8] {
        try next().split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    private mutating func found() throws -> Set<Int> {
        if isAtEnd { return [0] }
        var found: Set<Int> = []
        while !isAtEnd {
            let word = try next()
            if word != "without" { found.insert(try Int(word) ?? number()) }
        }
        return found
    }
}
