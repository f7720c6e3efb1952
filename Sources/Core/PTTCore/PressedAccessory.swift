import PTTMessages

/// A button that the application handles by itself, while it is held.
struct PressedAccessory: Equatable, Sendable {
    /// Many more than a person has buttons; the oldest is taken for released beyond it.
    static let limit = 64

    let origin: Origin
    /// The connection that told of the press, and with which it ends.
    let holder: ClientID
}

extension TalkSession {
    /// A button that the channel does not answer to: its press lets the application begin by itself, and it is told.
    mutating func giveToApplication(_ origin: Origin, _ holder: ClientID, _ turn: inout Turn) {
        change { channel in
            guard let running = channel.running else { return }
            channel.run { $0.graceEnd = turn.now + JoinedChannel.grace }
            channel.release(&turn) { $0.origin == origin }
            if running.pressed.count >= PressedAccessory.limit, let oldest = running.pressed.first {
                channel.release(&turn) { $0 == oldest }
            }
            channel.run { $0.pressed.append(PressedAccessory(origin: origin, holder: holder)) }
            turn.notify(running.client, .accessoryPressed(origin))
        }
    }

    /// - Returns: Whether the application was told of the press that ends.
    mutating func release(_ origin: Origin, of holder: ClientID, _ turn: inout Turn) -> Bool {
        let ended = PressedAccessory(origin: origin, holder: holder)
        guard let running = channel?.running, running.pressed.contains(ended) else { return false }
        change { $0.release(&turn) { $0 == ended } }
        return true
    }

    mutating func releaseAccessories(of holder: ClientID, _ turn: inout Turn) {
        change { $0.release(&turn) { $0.holder == holder } }
    }
}

extension JoinedChannel {
    fileprivate mutating func release(_ turn: inout Turn, _ isEnded: (PressedAccessory) -> Bool) {
        guard let running else { return }
        run { $0.pressed.removeAll(where: isEnded) }
        for accessory in running.pressed.filter(isEnded) {
            turn.notify(running.client, .accessoryReleased(accessory.origin))
        }
    }
}
