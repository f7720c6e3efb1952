import AccessoryCore
import PTTMessages
import Testing

@Suite struct HeadsetKeyTests {
    private static let events: [HeadsetKey.Event] = [
        .keyPressed(164), .keyReleased(164), .keyPressed(201), .keyResynchronised(164, isPressed: true),
        .keyResynchronised(164, isPressed: false), .began(TransmissionID(rawValue: 1)),
        .refused(.transmissionNotAllowed), .transmissionEnded(TransmissionID(rawValue: 1), .timeLimit),
        .coreLost,
        .deviceRemoved, .timerFired,
    ]

    @Test(arguments: [HeadsetKey.Contact.plug, .remote], [1, 300])
    func `no sequence of four events begins without a press, or leaves a request without its end`(
        _ contact: HeadsetKey.Contact,
        _ milliseconds: Int
    ) {
        let origin = Origin(kind: .wiredHeadset, identifier: "usb-1", name: "Headset")
        var steps = 0
        let key = HeadsetKey(origin: origin, contact: contact)
        let violation = explore(
            key,
            Watch(contact: contact),
            interval: milliseconds,
            depth: 4,
            past: [],
            steps: &steps
        )
        #expect(violation == nil)
        #expect(steps > 16_000)
    }

    private func explore(
        _ key: HeadsetKey,
        _ watch: Watch,
        interval milliseconds: Int,
        depth: Int,
        past: [HeadsetKey.Event],
        steps: inout Int
    ) -> String? {
        for event in Self.events {
            var (key, watch) = (key, watch)
            let past = past + [event]
            let now = MonotonicTime(nanoseconds: Int64(past.count * milliseconds) * 1_000_000)
            let effects = key.handle(event, at: now)
            steps += 1
            if let violation = watch.check(event, effects, at: now) {
                return "\(violation), after:\n\(past.map { "\($0)" }.joined(separator: "\n"))"
            }
            guard depth > 1 else { continue }
            if let violation = explore(
                key,
                watch,
                interval: milliseconds,
                depth: depth - 1,
                past: past,
                steps: &steps
            ) {
                return violation
            }
        }
        return nil
    }
}

/// An independent model: the physical key, and the requests to the core.
private struct Watch {
    let contact: HeadsetKey.Contact
    private var pressed: MonotonicTime?
    private var isOn = false
    private var isRemoved = false

    init(contact: HeadsetKey.Contact) {
        self.contact = contact
    }

    mutating func check(_ event: HeadsetKey.Event, _ effects: [HeadsetKey.Effect], at now: MonotonicTime)
        -> String?
    {
        let before = pressed
        switch event {
        case .keyPressed: pressed = pressed ?? now
        case .keyReleased, .keyResynchronised(_, isPressed: false): pressed = nil
        case .keyResynchronised(_, isPressed: true), .began, .refused, .transmissionEnded, .coreLost,
            .timerFired:
            break
        case .deviceRemoved: isRemoved = true
        }
        for effect in effects {
            switch effect {
            case .begin:
                if isRemoved { return "it began after it was removed" }
                if isOn { return "it began twice" }
                guard let since = pressed ?? before else { return "it began without a press" }
                if contact == .plug, now - since < HeadsetKey.shortestPress {
                    return "a press that was too short began"
                }
                if case .keyResynchronised = event { return "a press that was not observed began" }
                isOn = true
            case .end:
                isOn = false
            case .setTimer, .cancelTimer, .publish:
                break
            }
        }
        switch event {
        case .refused, .coreLost, .transmissionEnded: isOn = false
        case .deviceRemoved, .keyResynchronised: if isOn { return "it stayed on after \(event)" }
        case .keyPressed, .keyReleased, .began, .timerFired: break
        }
        return nil
    }
}
