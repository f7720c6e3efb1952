import PTTMessages

/// An accessory's button that the application handles itself, while it is held: one that does not transmit,
/// or any if the application has disabled accessory events.
struct PressedAccessory: Equatable, Sendable {
    /// Far more than one person's buttons; beyond it the oldest counts as released.
    static let limit = 64

    let origin: Origin
    let role: ButtonRole
    /// The connection that reported the press, and whose end releases it.
    let holder: ClientID
}

extension TalkSession {
    /// Forwards a press to the application that has disabled accessory events for the channel, and lets it
    /// begin one transmission from the background.
    mutating func forwardPress(of origin: Origin, _ role: ButtonRole, heldBy holder: ClientID) {
        channel?.running?.graceEnd = effects.now + JoinedChannel.grace
        release { $0.origin == origin && $0.role.transmits }
        press(PressedAccessory(origin: origin, role: role, holder: holder))
    }

    /// Reports a button that does not transmit to the channel's application. It gives the application no
    /// right to transmit from the background: no such press opens a microphone.
    mutating func report(
        _ report: ChannelInterface.ButtonReport,
        from client: ClientID
    ) throws(RefusalCause) {
        let (origin, role) = (report.origin, report.role)
        try Self.check(longest: origin.identifier, origin.name)
        if role == .unknown { throw .unknownValue }
        if role.transmits { throw .transmits(role) }
        let button = PressedAccessory(origin: origin, role: role, holder: client)
        // Before all refusals: what the application holds as pressed must end.
        if !report.isPressed { release { $0 == button } }
        let channel = try channel(report.channelID, for: client)
        guard report.isPressed else { return }
        if let obstacle = surroundings.obstacle ?? surroundings.lockObstacle { throw obstacle.refusal }
        guard let running = channel.running else { throw .absent(channel.owner) }
        guard attachments[running.client] != nil else { throw .receivesNoButtons }
        if !running.pressed.contains(button) {
            release { $0.origin == origin && $0.role == role }
            press(button)
        }
    }

    /// Releases a button of the origin that was forwarded; nil is all that transmit.
    ///
    /// - Returns: True if a press that ends was forwarded to the application.
    mutating func release(_ origin: Origin, _ role: ButtonRole?, heldBy holder: ClientID) -> Bool {
        func isEnded(_ accessory: PressedAccessory) -> Bool {
            accessory.origin == origin && accessory.holder == holder && accessory.role.transmits
                && accessory.role == role ?? accessory.role
        }
        guard let running = channel?.running, running.pressed.contains(where: isEnded) else { return false }
        release(where: isEnded)
        return true
    }

    private mutating func press(_ accessory: PressedAccessory) {
        guard let running = channel?.running else { return }
        if running.pressed.count >= PressedAccessory.limit, let oldest = running.pressed.first {
            release { $0 == oldest }
        }
        channel?.running?.pressed.append(accessory)
        effects.notify(running.client, accessory.pressed)
    }

    mutating func release(where isEnded: (PressedAccessory) -> Bool) {
        guard let running = channel?.running else { return }
        channel?.running?.pressed.removeAll(where: isEnded)
        for accessory in running.pressed.filter(isEnded) {
            effects.notify(running.client, accessory.released)
        }
    }
}

extension PressedAccessory {
    fileprivate var pressed: CoreEvent {
        role.transmits
            ? .accessoryPressed(origin: origin, role: role) : .buttonPressed(origin: origin, role: role)
    }

    fileprivate var released: CoreEvent {
        role.transmits
            ? .accessoryReleased(origin: origin, role: role) : .buttonReleased(origin: origin, role: role)
    }
}
