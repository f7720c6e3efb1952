import PTTMessages

/// An accessory's button that the application handles itself, while it is held.
struct PressedAccessory: Equatable, Sendable {
    /// Far more than one person's buttons; beyond it the oldest counts as released.
    static let limit = 64

    let origin: Origin
    /// The connection that reported the press, and whose end releases it.
    let holder: ClientID
}

extension TalkSession {
    /// Forwards a press to the application that has disabled accessory events for the channel, and lets it begin one
    /// transmission from the background.
    mutating func forwardPress(
        of origin: Origin,
        heldBy holder: ClientID,
        effects: inout EffectCollector
    ) {
        updateChannel { channel in
            guard let running = channel.running else { return }
            channel.updateRunning { $0.graceEnd = effects.now + JoinedChannel.grace }
            channel.release(where: { $0.origin == origin }, effects: &effects)
            if running.pressed.count >= PressedAccessory.limit, let oldest = running.pressed.first {
                channel.release(where: { $0 == oldest }, effects: &effects)
            }
            channel.updateRunning { $0.pressed.append(PressedAccessory(origin: origin, holder: holder)) }
            effects.notify(running.client, .accessoryPressed(origin))
        }
    }

    /// - Returns: Whether the press that ends was forwarded to the application.
    mutating func release(_ origin: Origin, heldBy holder: ClientID, effects: inout EffectCollector) -> Bool {
        let ended = PressedAccessory(origin: origin, holder: holder)
        guard let running = channel?.running, running.pressed.contains(ended) else { return false }
        updateChannel { $0.release(where: { $0 == ended }, effects: &effects) }
        return true
    }

    mutating func releaseAccessories(heldBy holder: ClientID, effects: inout EffectCollector) {
        updateChannel { $0.release(where: { $0.holder == holder }, effects: &effects) }
    }
}

extension JoinedChannel {
    fileprivate mutating func release(
        where isEnded: (PressedAccessory) -> Bool,
        effects: inout EffectCollector
    ) {
        guard let running else { return }
        updateRunning { $0.pressed.removeAll(where: isEnded) }
        for accessory in running.pressed.filter(isEnded) {
            effects.notify(running.client, .accessoryReleased(accessory.origin))
        }
    }
}
