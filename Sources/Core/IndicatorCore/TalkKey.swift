/// The talk key of the keyboard: which presses begin a transmission, and everything that ends it.
///
/// The desktop reports a press and a release. Where it can no longer report the release, the key counts as released: a
/// portal backend that is killed, for example, is reported to no client.
package struct TalkKey: Equatable, Sendable {
    package enum Event: Hashable, Sendable {
        case pressed
        case released
        case lost(Loss)
        case screenLocked(Bool)
        /// The connection to the core is lost, and with it the transmission.
        case coreLost
    }

    /// Why a release may never be reported.
    package enum Loss: String, Hashable, Sendable, CaseIterable {
        /// The portal has closed the session of the shortcut.
        case sessionClosed = "the desktop closed the session of the shortcut"
        case portalLost = "the desktop portal is gone"
        case backendLost = "a backend of the desktop portal is gone"
        case busLost = "the session bus is gone"
        case suspended = "the machine goes to sleep"
        case sessionInactive = "another session has the keyboard"
        /// Nothing shows the open microphone any more.
        case unseen = "the panel or the notification is gone"
    }

    package enum Effect: Hashable, Sendable {
        case begin
        case end
    }

    private enum State {
        case released
        case held
        /// Held, but its transmission ended with the connection to the core. It must be released first.
        case spent
    }

    private var state = State.released
    private var isLocked = false

    package init() {}

    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .pressed:
            // A backend may repeat a press while the key is held. On a locked screen only hardware talks.
            guard state == .released, !isLocked else { return [] }
            state = .held
            return [.begin]
        case .released, .lost:
            return release()
        case .screenLocked(let isLocked):
            self.isLocked = isLocked
            // The locker has the keyboard now, and may receive the release.
            return isLocked ? release() : []
        case .coreLost:
            if state == .held { state = .spent }
            return []
        }
    }

    private mutating func release() -> [Effect] {
        defer { state = .released }
        return state == .held ? [.end] : []
    }
}
