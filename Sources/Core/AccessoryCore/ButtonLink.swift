package import PTTMessages

/// One Bluetooth button: the way from its connection to "a press will be heard", and its level.
///
/// **A transmission begins only on a press that was seen happening.** From the connection until the link has been
/// quiet for ``settleTime``, values only tell the level: BlueZ turns the notifications of an earlier session on
/// again before it reports the services, some buttons notify their level at once, and one that is held while it
/// reconnects tells so. Whatever was lost in between, the button must be seen released and then pressed.
///
/// Each notification may come several times (BlueZ repeats it for each subscriber): a value that equals the known
/// level is no edge.
package struct ButtonLink: Equatable, Sendable {
    /// How long after notifications are on a value still counts as the level and not as an edge.
    ///
    /// Buttons that tell their level on being subscribed to do it within a connection interval or two, of at most
    /// 50 ms as the kernel asks for; a finger that pressed before that is still there afterwards.
    package static let settleTime = Duration.milliseconds(500)
    /// With the delays between them, a minute of trying.
    static let subscribeAttempts = 8

    enum Link: Equatable, Sendable {
        case away(remark: String?)
        /// The services are being looked up.
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
        /// Held, but the press was not seen.
        case held
        /// Held, and the press was seen: the core was told.
        case pressed
    }

    package let profile: AccessoryProfile
    package private(set) var origin: Origin
    var link = Link.away(remark: nil)
    var level = Level.unknown
    /// What the shell's timer is set to.
    private var timer: MonotonicTime?

    /// - Parameters:
    ///   - origin: What its presses come from; the identifier is the Bluetooth address.
    ///   - profile: How to read it.
    package init(origin: Origin, profile: AccessoryProfile) {
        self.origin = origin
        self.profile = profile
    }

    /// Decides what follows from an event.
    ///
    /// - Parameters:
    ///   - event: What has happened.
    ///   - now: When it happened; never earlier than that of the event before.
    /// - Returns: What to do, in this order.
    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        let before = device
        if event == .timerFired { timer = nil }
        var effects = decide(event, at: now)
        let deadline = deadline
        if deadline != timer {
            timer = deadline
            effects.append(deadline.map { .setTimer($0) } ?? .cancelTimer)
        }
        let after = device
        if (before.link, before.remark, before.name) != (after.link, after.remark, after.name) {
            effects.append(.publish(AccessoryEvent(.deviceChanged, device: after)))
        }
        return effects
    }

    private var deadline: MonotonicTime? {
        switch link {
        case .away, .connected, .subscribing, .ready, .unused: nil
        case .waiting(attempt: _, let until, reason: _), .settling(let until): until
        }
    }

    private mutating func decide(_ event: Event, at now: MonotonicTime) -> [Effect] {
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

    /// The path to the button broke: a press that was on it is over, and nothing is known of the level any more.
    mutating func lose(_ cause: EndCause, to link: Link) -> [Effect] {
        let wasPressed = level == .pressed
        self.link = link
        level = .unknown
        guard wasPressed else { return [] }
        return [
            .end(cause),
            .publish(AccessoryEvent(.released, device: device, remark: "lost while it was held")),
        ]
    }
}
