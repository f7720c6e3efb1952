package import PTTMessages

/// One Bluetooth button: the state of its link, from the connection until presses count, and its level.
///
/// **A transmission begins only with a press that was observed as it happened.** From the connection until ``settleTime``
/// after notifications are on, values only report the level: BlueZ turns the notifications of earlier subscribers on
/// again before it reports the services, some buttons notify their level immediately, and so does one that is held
/// while it reconnects. Whatever was lost in between, the button must be observed as released and then as pressed.
///
/// Each notification may be received several times (BlueZ repeats it for each subscriber): a value that equals the
/// known level is not an edge.
package struct ButtonLink: AccessoryMachine, Equatable, Sendable {
    /// How long after notifications are on a value still counts as a level, not as an edge.
    ///
    /// Buttons that notify their level at the subscription do so within one or two connection intervals, of at most
    /// 50 ms as the kernel requests; a button that was pressed before is still pressed then.
    package static let settleTime = Duration.milliseconds(500)
    /// With the delays between them, these take about a minute.
    static let subscribeAttempts = 8

    enum Link: Equatable, Sendable {
        case away(remark: String?)
        /// The services are being discovered.
        case connected
        case subscribing(attempt: Int)
        case waiting(attempt: Int, until: MonotonicTime, reason: String)
        case settling(until: MonotonicTime)
        case ready
        case unused(reason: String)
    }

    enum Level: Equatable, Sendable {
        case unknown
        case released
        /// Pressed, but the press was not observed.
        case held
        /// Pressed, and the press was observed: the core was asked for a transmission.
        case pressed
    }

    package let profile: AccessoryProfile
    package private(set) var origin: Origin
    var link = Link.away(remark: nil)
    var level = Level.unknown
    /// The time to which the shell's timer is set.
    var timer: MonotonicTime?

    /// - Parameters:
    ///   - origin: The origin of its presses; the identifier is the Bluetooth address.
    ///   - profile: How it reports presses.
    package init(origin: Origin, profile: AccessoryProfile) {
        self.origin = origin
        self.profile = profile
    }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - now: Its time, which never decreases from event to event.
    /// - Returns: What to do, in this order.
    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        step(event, at: now)
    }

    var deadline: MonotonicTime? {
        switch link {
        case .away, .connected, .subscribing, .ready, .unused: nil
        case .waiting(attempt: _, let until, reason: _), .settling(let until): until
        }
    }

    mutating func transition(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case .connected: return lose(.linkLost, to: .connected)
        case .servicesResolved(let hasCharacteristic): return servicesResolved(hasCharacteristic)
        case .notificationsEnabled: return notificationsEnabled(at: now)
        case .notificationsFailed(let reason): return notificationsFailed(reason, at: now)
        case .notificationsStopped: return notificationsStopped()
        case .valueNotified(let value): return valueNotified(value, at: now)
        case .servicesGone: return servicesGone()
        case .disconnected(let cause): return lose(cause, to: .away(remark: nil))
        case .bluetoothLost: return lose(.linkLost, to: .away(remark: "Bluetooth is off or not running"))
        case .timerFired: return timerFired(at: now)
        case .renamed(let name):
            origin = Origin(kind: origin.kind, identifier: origin.identifier, name: name)
            return []
        }
    }

    /// Ends a press, because the connection to the button is lost; the level becomes unknown.
    mutating func lose(_ cause: EndCause, to link: Link) -> [Effect] {
        let wasPressed = level == .pressed
        self.link = link
        level = .unknown
        guard wasPressed else { return [] }
        return [
            .end(cause),
            .publish(AccessoryEvent(.released, device: device, remark: "lost while it was pressed")),
        ]
    }
}
