package import PTTMessages

/// The session at the desktop's GlobalShortcuts portal in which the talk key is bound: which call is next,
/// and when a session that was lost is made again. It is made anew for each connection to the bus.
///
/// One call is outstanding at a time. Attempts are few and end: while nothing can change, no timer runs.
package struct ShortcutSession: Equatable, Sendable {
    /// Numbers the attempts; answers to earlier ones are ignored.
    package typealias Attempt = Int

    package enum Event: Equatable, Sendable {
        /// The owner of the portal's name, at first and after each change; nil: none.
        case portalOwner(String?)
        /// A name of a portal backend has lost its owner.
        case backendLost
        /// A name of a portal backend has an owner.
        case backendAppeared
        case answered(Attempt, Answer)
        /// A press or a release of a shortcut, perhaps another's.
        case key(TalkKey.Event, session: String, shortcut: String)
        /// `Closed` of a session.
        case closed(session: String)
        case timerFired
    }

    package enum Answer: Equatable, Sendable {
        /// Also where the portal has no `Registry`.
        case registered
        case version(Int)
        case created(session: String)
        /// - Parameter isKnown: The desktop has the shortcut from an earlier session.
        case listed(isKnown: Bool)
        case bound
        /// This portal has no shortcuts, or there is no portal, or the person refused: another attempt would
        /// be the same.
        case impossible
        case failed
    }

    package enum Effect: Equatable, Sendable {
        /// The application's identifier, for a process outside a sandbox.
        case register(Attempt)
        case getVersion(Attempt)
        case createSession(Attempt)
        case listShortcuts(Attempt, session: String)
        case bindShortcuts(Attempt, session: String)
        case closeSession(String)
        case arm(at: MonotonicTime)
        case disarm
        case key(TalkKey.Event)
    }

    /// The identifier of the shortcut.
    package static let shortcut = "talk"

    /// The delays before further attempts. After them only a portal or a backend that appears is a reason for
    /// another one.
    static let delays: [Duration] = [1, 2, 4, 8, 16].map { .seconds($0) }
    /// A session that was bound for so long was good, and its loss is the first again.
    static let stable = Duration.seconds(60)

    private enum State: Equatable {
        /// Nothing is called before another portal appears.
        case impossible
        /// Nothing is called before a portal or a backend appears.
        case dormant
        case waiting
        case calling(session: String?)
        case bound(session: String, since: MonotonicTime)
    }

    private var state = State.dormant
    private var attempt: Attempt = 0
    private var failures = 0
    private var isOwnerKnown = false
    private var owner: String?
    /// Once for each owner of the portal.
    private var isRegistered = false
    /// Of the portal's interface.
    private var version = 1

    package init() {}

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case .portalOwner(let owner): return ownerChanged(to: owner, at: now)
        case .backendLost:
            return lose(.backendLost, at: now)
        case .backendAppeared:
            switch state {
            case .dormant where owner != nil, .waiting: return beginAgain()
            case .impossible, .dormant, .calling, .bound: return []
            }
        case .answered(let attempt, let answer):
            guard attempt == self.attempt, case .calling(let session) = state else {
                // It was given up while it was made.
                if case .created(let session) = answer { return [.closeSession(session)] }
                return []
            }
            return next(after: answer, session: session, at: now)
        case .key(let event, let session, let shortcut):
            guard case .bound(session, _) = state, shortcut == Self.shortcut else { return [] }
            return [.key(event)]
        case .closed(let session):
            guard session == self.session else { return [] }
            return lose(.sessionClosed, isClosed: true, at: now)
        case .timerFired:
            return state == .waiting ? begin() : []
        }
    }

    private var session: String? {
        switch state {
        case .impossible, .dormant, .waiting: nil
        case .calling(let session): session
        case .bound(let session, _): session
        }
    }

    /// The session whose key the desktop lets people choose when it is asked to (`ConfigureShortcuts` of
    /// version 2); nil if there is none.
    package var configurableSession: String? {
        guard case .bound(let session, _) = state, version >= 2 else { return nil }
        return session
    }

    private mutating func ownerChanged(to owner: String?, at now: MonotonicTime) -> [Effect] {
        let (isFirst, former) = (!isOwnerKnown, self.owner)
        (isOwnerKnown, self.owner) = (true, owner)
        // The first call starts a portal that is not running.
        if isFirst { return begin() }
        guard owner != former else { return [] }
        guard former == nil else {
            isRegistered = false
            // Its sessions ended with it.
            let effects = lose(.portalLost, isClosed: true, at: now)
            return owner == nil ? effects : effects + beginAgain()
        }
        // Started by a call of ours, it is in use already.
        if case .calling = state { return [] }
        isRegistered = false
        return beginAgain()
    }

    private mutating func beginAgain() -> [Effect] {
        let disarm: [Effect] = state == .waiting ? [.disarm] : []
        return disarm + begin()
    }

    private mutating func begin() -> [Effect] {
        attempt += 1
        state = .calling(session: nil)
        return [isRegistered ? .getVersion(attempt) : .register(attempt)]
    }

    private mutating func next(after answer: Answer, session: String?, at now: MonotonicTime) -> [Effect] {
        switch answer {
        case .registered:
            isRegistered = true
            return [.getVersion(attempt)]
        case .version(let version):
            guard version >= 1 else { return end(session, as: .impossible) }
            self.version = version
            return [.createSession(attempt)]
        case .created(let session):
            state = .calling(session: session)
            return [.listShortcuts(attempt, session: session)]
        case .listed(let isKnown):
            guard let session else { return fail(session, at: now) }
            // Plasma up to 6.3 opens its settings each time when a shortcut is bound, and reports its key
            // without that; from 6.7 on it reports only what was bound. Between them came version 2.
            guard isKnown, version < 2 else { return [.bindShortcuts(attempt, session: session)] }
            state = .bound(session: session, since: now)
            return []
        case .bound:
            guard let session else { return fail(session, at: now) }
            state = .bound(session: session, since: now)
            return []
        case .impossible: return end(session, as: .impossible)
        case .failed: return fail(session, at: now)
        }
    }

    private mutating func end(_ session: String?, as state: State) -> [Effect] {
        self.state = state
        return session.map { [.closeSession($0)] } ?? []
    }

    private mutating func fail(_ session: String?, at now: MonotonicTime) -> [Effect] {
        end(session, as: .dormant) + wait(at: now)
    }

    private mutating func lose(_ loss: TalkKey.Loss, isClosed: Bool = false, at now: MonotonicTime)
        -> [Effect]
    {
        var effects: [Effect] = [.key(.lost(loss))]
        if case .bound(_, let since) = state, now - since >= Self.stable { failures = 0 }
        switch state {
        // The attempt that is due soon is enough.
        case .waiting, .dormant, .impossible: return effects
        case .calling, .bound:
            if let session, !isClosed { effects.append(.closeSession(session)) }
            attempt += 1
            return effects + wait(at: now)
        }
    }

    private mutating func wait(at now: MonotonicTime) -> [Effect] {
        guard failures < Self.delays.count else {
            state = .dormant
            return []
        }
        defer { failures += 1 }
        state = .waiting
        return [.arm(at: now + Self.delays[failures])]
    }
}
