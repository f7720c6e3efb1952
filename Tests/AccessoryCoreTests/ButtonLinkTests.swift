import AccessoryCore
import PTTMessages
import Testing

@Suite struct ButtonLinkTests {
    private static let origin = Origin(
        kind: .bluetoothButton,
        identifier: "A4:C1:38:00:00:01",
        name: "Button"
    )

    private static let events: [ButtonLink.Event] = [
        .connected, .servicesResolved(hasCharacteristic: true), .servicesResolved(hasCharacteristic: false),
        .notificationsEnabled, .notificationsFailed(reason: "no"), .notificationsStopped,
        .valueNotified([0x01]), .valueNotified([0x00]), .valueNotified([0x31]), .servicesGone,
        .disconnected(.linkLost), .bluetoothLost, .timerFired,
    ]

    @Test(arguments: AccessoryProfile.all.map(\.name))
    func `with every profile an observed press begins, and its release ends`(_ name: String) throws {
        var link = try settled(name)
        #expect(link.device.link == .ready)
        #expect(link.handle(.valueNotified([0x01]), at: .init(nanoseconds: 2_000_000_000)).first == .begin)
        #expect(link.device.isPressed)
        #expect(
            link.handle(.valueNotified([0x00]), at: .init(nanoseconds: 3_000_000_000)).first
                == .end(.released)
        )
        #expect(!link.device.isPressed)
    }

    @Test(
        arguments: AccessoryProfile.all.map(\.name),
        [
            ButtonLink.Event.connected, .servicesResolved(hasCharacteristic: false), .notificationsStopped,
            .servicesGone, .disconnected(.linkLost), .bluetoothLost,
        ]
    )
    func `with every profile any loss while it is pressed ends immediately`(
        _ name: String,
        _ loss: ButtonLink.Event
    )
        throws
    {
        var link = try settled(name)
        _ = link.handle(.valueNotified([0x01]), at: .init(nanoseconds: 2_000_000_000))
        #expect(link.handle(loss, at: .init(nanoseconds: 3_000_000_000)).first == .end(.linkLost))
        #expect(!link.device.isPressed)
    }

    @Test(arguments: AccessoryProfile.all.map(\.name))
    func `with every profile a level that is notified while connecting begins nothing`(_ name: String) throws
    {
        let profile = try #require(AccessoryProfile.all.first { $0.name == name })
        let steps: [ButtonLink.Event] = [
            .connected, .servicesResolved(hasCharacteristic: true), .notificationsEnabled, .timerFired,
        ]
        for position in 1..<steps.count {
            var link = ButtonLink(origin: Self.origin, profile: profile)
            var effects: [ButtonLink.Effect] = []
            for (index, step) in steps.enumerated() {
                if index == position {
                    effects += link.handle(.valueNotified([0x01]), at: .init(nanoseconds: 0))
                }
                effects += link.handle(step, at: .init(nanoseconds: index == 3 ? 500_000_000 : 0))
            }
            effects += link.handle(.valueNotified([0x01]), at: .init(nanoseconds: 1_000_000_000))
            #expect(!effects.contains(.begin))
            #expect(link.device.isPressed)
            effects = link.handle(.valueNotified([0x00]), at: .init(nanoseconds: 2_000_000_000))
            #expect(effects.first == .letGo)
            #expect(
                link.handle(.valueNotified([0x01]), at: .init(nanoseconds: 3_000_000_000)).first == .begin
            )
        }
    }

    @Test func `in no sequence of four events a press begins that was not observed`() {
        let link = ButtonLink(origin: Self.origin, profile: .ffe0)
        var steps = 0
        let violation = explore(link, Watch(), depth: 4, past: [], steps: &steps)
        #expect(violation == nil)
        var watch = Watch()
        var ready = link
        for event in [
            ButtonLink.Event.connected, .servicesResolved(hasCharacteristic: true), .notificationsEnabled,
        ] {
            _ = watch.check(event, ready.handle(event, at: .init(nanoseconds: 0)), at: 0)
        }
        let later = explore(ready, watch, depth: 4, past: [], steps: &steps)
        #expect(later == nil)
        #expect(steps > 2 * 28_561)
    }

    private func explore(
        _ link: ButtonLink,
        _ watch: Watch,
        depth: Int,
        past: [ButtonLink.Event],
        steps: inout Int
    ) -> String? {
        for event in Self.events {
            var (link, watch) = (link, watch)
            let past = past + [event]
            // The settle time ends with the second event.
            let now = Int64(past.count) * 300_000_000
            let effects = link.handle(event, at: .init(nanoseconds: now))
            steps += 1
            if let violation = watch.check(event, effects, at: now) {
                return "\(violation), after:\n\(past.map { "\($0)" }.joined(separator: "\n"))"
            }
            guard depth > 1 else { continue }
            if let violation = explore(link, watch, depth: depth - 1, past: past, steps: &steps) {
                return violation
            }
        }
        return nil
    }

    private func settled(_ name: String) throws -> ButtonLink {
        let profile = try #require(AccessoryProfile.all.first { $0.name == name })
        var link = ButtonLink(origin: Self.origin, profile: profile)
        let start = MonotonicTime(nanoseconds: 0)
        _ = link.handle(.connected, at: start)
        #expect(link.handle(.servicesResolved(hasCharacteristic: true), at: start).first == .subscribe)
        let settles = start + ButtonLink.settleTime
        #expect(link.handle(.notificationsEnabled, at: start).contains(.setTimer(settles)))
        _ = link.handle(.timerFired, at: settles)
        return link
    }
}

/// An independent model: the time since the link and the notifications are up, and the last level on it.
private struct Watch {
    private var hasLink = false
    private var enabled: Int64?
    private var isHeld = false
    private var isTransmitting = false

    mutating func check(_ event: ButtonLink.Event, _ effects: [ButtonLink.Effect], at now: Int64) -> String? {
        for effect in effects {
            switch effect {
            case .begin:
                guard event == .valueNotified([0x01]) else { return "\(event) began" }
                guard let enabled, now - enabled >= 500_000_000 else { return "it began before it settled" }
                guard !isHeld else { return "it began without having been released" }
                guard !isTransmitting else { return "it began twice" }
                isTransmitting = true
            case .end:
                guard isTransmitting else { return "it ended what had not begun" }
                isTransmitting = false
            case .letGo:
                guard event == .valueNotified([0x00]) else { return "\(event) reported a release" }
                guard !isTransmitting else { return "it was released without an end" }
            case .subscribe, .setTimer, .cancelTimer, .publish:
                break
            }
        }
        apply(event, at: now)
        if enabled == nil, isTransmitting { return "it transmits without a link" }
        return nil
    }

    private mutating func apply(_ event: ButtonLink.Event, at now: Int64) {
        switch event {
        case .connected, .servicesResolved(hasCharacteristic: false), .notificationsStopped, .servicesGone:
            (hasLink, enabled, isHeld) = (true, nil, false)
        case .disconnected, .bluetoothLost:
            (hasLink, enabled, isHeld) = (false, nil, false)
        case .servicesResolved:
            hasLink = true
        case .notificationsEnabled:
            if hasLink, enabled == nil { enabled = now }
        case .valueNotified(let value):
            if hasLink, let first = value.first, first < 2 { isHeld = first == 1 }
        case .notificationsFailed, .renamed, .timerFired:
            break
        }
    }
}
