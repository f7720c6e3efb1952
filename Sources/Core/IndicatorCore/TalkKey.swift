package import PTTMessages

/// The talk key of the keyboard: which presses begin a transmission, and everything that ends it.
///
/// The desktop reports a press and a release. Where it can no longer report the release, the key counts as
/// released: a portal backend that is killed, for example, is reported to no client. And where a desktop
/// forgets a release, as GNOME 48 and 50 do while Shift or Ctrl is held, ``KeyHold`` finds out that the key
/// is up.
package struct TalkKey: Equatable, Sendable {
    package enum Event: Hashable, Sendable {
        case pressed
        case released
        case lost(Loss)
        case screenLocked(Bool)
        /// The connection to the core is lost, and with it the transmission.
        case coreLost
        /// The time of ``TalkKey/deadline`` has come.
        case timerFired
    }

    /// Why a release may never be reported.
    package enum Loss: Hashable, Sendable, CaseIterable {
        /// The portal has closed the session of the shortcut.
        case sessionClosed
        case portalLost
        /// A backend of the desktop portal is gone.
        case backendLost
        case busLost
        case suspended
        /// Another session has the keyboard.
        case sessionInactive
        /// Nothing shows the open microphone any more.
        case unseen

        /// True if the session of the shortcut has ended, so that it repeats no press.
        fileprivate var endsSession: Bool {
            switch self {
            case .sessionClosed, .portalLost, .backendLost, .busLost: true
            case .suspended, .sessionInactive, .unseen: false
            }
        }
    }

    package enum Effect: Hashable, Sendable {
        case begin
        case end
        /// Ends as well: the key seems to be up, and the desktop has not said so.
        case endUnreported
    }

    private enum State: Equatable {
        case released
        case held(KeyHold)
        /// It seemed to be up, and its transmission was ended.
        case presumedReleased(KeyHold)
        /// Held, but its transmission has ended, or never begun. The desktop may go on to repeat the press.
        case spent(KeyHold)
    }

    private var state = State.released
    private var repetition = KeyHold.Repetition.unknown
    private var isLocked = false
    /// The time at which ``Event/timerFired`` is due; nil while nothing is waited for. It may come early, and
    /// is then set again: repeated presses would move it 33 times a second.
    package private(set) var deadline: MonotonicTime?

    package init() {}

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        let effects = transition(event, at: now)
        deadline = nextDeadline(at: now)
        return effects
    }

    private mutating func transition(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case .pressed:
            return press(at: now)
        case .released:
            return release(at: now)
        case .lost(let loss):
            return lose(keeping: !loss.endsSession)
        case .screenLocked(let isLocked):
            self.isLocked = isLocked
            // The locker has the keyboard now, and may receive the release.
            return isLocked ? lose(keeping: true) : []
        case .coreLost:
            if case .held(let hold) = state { state = .spent(hold) }
            return []
        case .timerFired:
            guard case .held(let hold) = state, let end = hold.presumedEnd(repetition), end <= now else {
                return []
            }
            state = .presumedReleased(hold)
            return [.endUnreported]
        }
    }

    private mutating func press(at now: MonotonicTime) -> [Effect] {
        switch state {
        case .released:
            return begin(KeyHold(at: now))
        case .presumedReleased(var hold):
            guard hold.isRepeat(at: now) else { return begin(KeyHold(at: now)) }
            // It comes later than the repeats of the holds before.
            repetition.saw(hold.repeat(at: now))
            return begin(hold)
        case .held(var hold):
            if hold.isRepeated || hold.isRepeat(at: now) {
                repetition.saw(hold.repeat(at: now))
                state = .held(hold)
            } else {
                // A press of its own: the release before it was missed. The release of this one ends.
                repetition = .unknown
                state = .held(KeyHold(at: now))
            }
            return []
        case .spent(var hold):
            guard hold.isRepeat(at: now) else { return begin(KeyHold(at: now)) }
            _ = hold.repeat(at: now)
            state = .spent(hold)
            return []
        }
    }

    /// On a locked screen only hardware talks, also after it was unlocked with the key held.
    private mutating func begin(_ hold: KeyHold) -> [Effect] {
        state = isLocked ? .spent(hold) : .held(hold)
        return isLocked ? [] : [.begin]
    }

    private mutating func release(at now: MonotonicTime) -> [Effect] {
        defer { state = .released }
        switch state {
        case .held(let hold):
            repetition.sawRelease(of: hold, at: now)
            return [.end]
        case .presumedReleased(let hold):
            // It was held all the time: this desktop does not repeat as it did, or not beside other keys.
            if !hold.isRepeated { repetition = .unknown }
            return []
        case .released, .spent: return []
        }
    }

    /// Ends. While the desktop may still repeat the press, which must not begin again, the hold is kept.
    private mutating func lose(keeping: Bool) -> [Effect] {
        switch state {
        case .held(let hold):
            state = keeping ? .spent(hold) : .released
            return [.end]
        case .presumedReleased(let hold), .spent(let hold):
            state = keeping ? .spent(hold) : .released
            return []
        case .released: return []
        }
    }

    private func nextDeadline(at now: MonotonicTime) -> MonotonicTime? {
        guard case .held(let hold) = state, let end = hold.presumedEnd(repetition) else { return nil }
        guard let deadline, deadline > now else { return end }
        return min(deadline, end)
    }
}
