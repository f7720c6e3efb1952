import PTTMessages

extension ButtonLink {
    mutating func servicesResolved(_ hasCharacteristic: Bool) -> [Effect] {
        guard hasCharacteristic else {
            return lose(
                .linkLost,
                to: .unused(
                    reason:
                        "it has no \(profile.name) button; if it should have one, forget it and pair it again"
                )
            )
        }
        switch link {
        case .away, .connected, .unused:
            link = .subscribing(attempt: 1)
            return [.subscribe]
        case .subscribing, .waiting, .settling, .ready:
            return []
        }
    }

    mutating func notificationsEnabled(at now: MonotonicTime) -> [Effect] {
        switch link {
        case .subscribing, .waiting:
            link = .settling(until: now + Self.settleTime)
        case .away, .connected, .settling, .ready, .unused:
            // A late answer to an effect of an earlier link, or one of several answers.
            break
        }
        return []
    }

    mutating func notificationsFailed(_ reason: String, at now: MonotonicTime) -> [Effect] {
        switch link {
        case .subscribing(let attempt):
            if attempt < Self.subscribeAttempts {
                link = .waiting(attempt: attempt, until: now + Self.delay(after: attempt), reason: reason)
            } else {
                link = .unused(reason: "its notifications cannot be turned on: \(reason)")
            }
        case .away, .connected, .waiting, .settling, .ready, .unused:
            break
        }
        return []
    }

    mutating func notificationsStopped() -> [Effect] {
        switch link {
        case .settling, .ready: lose(.linkLost, to: .subscribing(attempt: 1)) + [.subscribe]
        case .away, .connected, .subscribing, .waiting, .unused: []
        }
    }

    mutating func servicesGone() -> [Effect] {
        switch link {
        case .away: []
        case .connected, .subscribing, .waiting, .settling, .ready, .unused: lose(.linkLost, to: .connected)
        }
    }

    mutating func timerFired(at now: MonotonicTime) -> [Effect] {
        switch link {
        case .waiting(let attempt, let until, reason: _):
            guard now >= until else { return [] }
            link = .subscribing(attempt: attempt + 1)
            return [.subscribe]
        case .settling(let until):
            guard now >= until else { return [] }
            settle()
            return []
        case .away, .connected, .subscribing, .ready, .unused:
            return []
        }
    }

    /// A button that has sent no level since the subscription reports edges only, and is assumed to be released.
    mutating func settle() {
        link = .ready
        if level == .unknown { level = .released }
    }

    /// 0.5 s, doubling to 30 s.
    private static func delay(after attempt: Int) -> Duration {
        min(.milliseconds(500 << min(attempt - 1, 10)), .seconds(30))
    }
}
