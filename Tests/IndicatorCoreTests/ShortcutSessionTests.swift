import IndicatorCore
import PTTMessages
import TestSupport
import Testing

@Suite struct ShortcutSessionTests {
    @Test func `the calls are made in their order and one at a time`() {
        var portal = Portal()
        #expect(portal.handle(.portalOwner(":1.5")) == [.register(1)])
        #expect(portal.answer(.registered) == [.getVersion(1)])
        #expect(portal.answer(.version(1)) == [.createSession(1)])
        #expect(portal.answer(.created(session: "/s/1")) == [.listShortcuts(1, session: "/s/1")])
        #expect(portal.answer(.listed(isKnown: false)) == [.bindShortcuts(1, session: "/s/1")])
        #expect(portal.answer(.bound) == [])
    }

    @Test(arguments: [1, 2])
    func `a shortcut that the desktop has is bound again only by version 2, which does so silently`(
        version: Int
    ) {
        var portal = Portal()
        _ = portal.handle(.portalOwner(":1.5"))
        _ = portal.answer(.registered)
        _ = portal.answer(.version(version))
        _ = portal.answer(.created(session: "/s/1"))
        guard version == 1 else {
            return #expect(portal.answer(.listed(isKnown: true)) == [.bindShortcuts(1, session: "/s/1")])
        }
        #expect(portal.answer(.listed(isKnown: true)) == [])
        #expect(portal.handle(.key(.pressed, session: "/s/1", shortcut: "talk")) == [.key(.pressed)])
    }

    @Test func `only the own shortcut of the own session is the talk key`() {
        var portal = Portal.bound()
        #expect(portal.handle(.key(.pressed, session: "/s/1", shortcut: "talk")) == [.key(.pressed)])
        #expect(portal.handle(.key(.released, session: "/s/1", shortcut: "talk")) == [.key(.released)])
        for (session, shortcut) in [("/s/2", "talk"), ("/s/1", "other")] {
            #expect(portal.handle(.key(.pressed, session: session, shortcut: shortcut)) == [])
            #expect(portal.handle(.key(.released, session: session, shortcut: shortcut)) == [])
        }
        #expect(portal.handle(.closed(session: "/s/2")) == [])
    }

    static let losses: [(ShortcutSession.Event, TalkKey.Loss)] = [
        (.closed(session: "/s/1"), .sessionClosed), (.portalOwner(nil), .portalLost),
        (.portalOwner(":1.9"), .portalLost), (.backendLost, .backendLost),
    ]

    @Test(arguments: losses)
    func `each loss is reported to the key first`(event: ShortcutSession.Event, loss: TalkKey.Loss) {
        var portal = Portal.bound()
        #expect(portal.handle(event).first == .key(.lost(loss)))
        // Signals of the lost session are late, or forged.
        #expect(portal.handle(.key(.pressed, session: "/s/1", shortcut: "talk")) == [])
    }

    @Test func `a portal that comes back is registered with at once`() {
        var portal = Portal.bound()
        _ = portal.handle(.portalOwner(nil))
        #expect(portal.handle(.portalOwner(":1.9")) == [.disarm, .register(3)])
        _ = portal.answer(.registered)
        _ = portal.answer(.version(2))
        _ = portal.answer(.created(session: "/s/2"))
        _ = portal.answer(.listed(isKnown: false))
        _ = portal.answer(.bound)
        #expect(portal.handle(.key(.pressed, session: "/s/2", shortcut: "talk")) == [.key(.pressed)])
    }

    @Test func `a lost backend costs the session, which is made again when a backend appears`() {
        var portal = Portal.bound()
        let effects = portal.handle(.backendLost)
        #expect(effects == [.key(.lost(.backendLost)), .closeSession("/s/1"), .arm(at: portal.after(1))])
        #expect(portal.handle(.backendAppeared) == [.disarm, .getVersion(3)])
    }

    @Test func `a portal that our own call has started is not called a second time`() {
        var portal = Portal()
        #expect(portal.handle(.portalOwner(nil)) == [.register(1)])
        #expect(portal.handle(.portalOwner(":1.5")) == [])
        #expect(portal.answer(.registered) == [.getVersion(1)])
    }

    @Test(arguments: [ShortcutSession.Answer.impossible, .version(0)])
    func `without shortcuts nothing is called before another portal appears`(answer: ShortcutSession.Answer) {
        var portal = Portal()
        _ = portal.handle(.portalOwner(":1.5"))
        _ = portal.answer(.registered)
        #expect(portal.answer(answer) == [])
        #expect(portal.handle(.backendAppeared) == [])
        _ = portal.handle(.portalOwner(nil))
        #expect(portal.handle(.portalOwner(":1.6")) == [.register(2)])
    }

    @Test func `attempts that fail are repeated less and less often, and end`() {
        var portal = Portal()
        _ = portal.handle(.portalOwner(":1.5"))
        for (attempt, delay) in [1, 2, 4, 8, 16].enumerated() {
            #expect(portal.handle(.answered(attempt + 1, .failed)) == [.arm(at: portal.after(delay))])
            #expect(portal.handle(.timerFired) == [.register(attempt + 2)])
        }
        #expect(portal.handle(.answered(6, .failed)) == [])
        #expect(portal.handle(.backendAppeared) == [.register(7)])
    }

    @Test func `the answer to an attempt that was given up closes its session`() {
        var portal = Portal()
        _ = portal.handle(.portalOwner(":1.5"))
        _ = portal.answer(.registered)
        _ = portal.answer(.version(1))
        _ = portal.handle(.backendLost)
        #expect(portal.handle(.answered(1, .created(session: "/s/1"))) == [.closeSession("/s/1")])
        #expect(portal.handle(.answered(1, .bound)) == [])
    }

    @Test func `a session that was good for a minute is made again without delay growing`() {
        var portal = Portal.bound()
        for _ in 0..<20 {
            portal.now = portal.after(60)
            let effects = portal.handle(.closed(session: portal.session))
            #expect(effects == [.key(.lost(.sessionClosed)), .arm(at: portal.after(1))])
            let retry = portal.handle(.timerFired)
            guard case .getVersion(let attempt)? = retry.first else {
                return #expect(Bool(false), "\(retry)")
            }
            portal.bind(attempt)
        }
    }

    /// Whatever the bus sends: after a loss the key is up, and no timer runs beside a call.
    @Test(arguments: 0..<200) func `no sequence of events leaves the key down after a loss`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var portal = Portal.bound()
        var key = TalkKey()
        var (isOn, isArmed) = (false, false)
        for _ in 0..<200 {
            let event = portal.randomEvent(&random)
            if event == .timerFired { isArmed = false }
            for effect in portal.handle(event) {
                switch effect {
                case .key(let keyEvent):
                    for order in key.handle(keyEvent, at: portal.now) { isOn = order == .begin }
                    if case .lost = keyEvent { #expect(!isOn) }
                case .arm: isArmed = true
                case .disarm: isArmed = false
                case .register, .getVersion, .createSession, .listShortcuts, .bindShortcuts:
                    #expect(!isArmed)
                case .closeSession: break
                }
            }
            if event == .backendLost || event == .portalOwner(nil) { #expect(!isOn) }
        }
    }
}

/// A session, and the portal that answers it.
private struct Portal {
    var now = MonotonicTime(nanoseconds: 0)
    var machine = ShortcutSession()
    var attempt = 0
    var session = ""

    static func bound() -> Portal {
        var portal = Portal()
        _ = portal.handle(.portalOwner(":1.5"))
        _ = portal.answer(.registered)
        portal.bind(1)
        return portal
    }

    func after(_ seconds: Int) -> MonotonicTime { now + .seconds(seconds) }

    mutating func handle(_ event: ShortcutSession.Event) -> [ShortcutSession.Effect] {
        let effects = machine.handle(event, at: now)
        for effect in effects {
            switch effect {
            case .register(let attempt), .getVersion(let attempt): self.attempt = attempt
            case .createSession, .listShortcuts, .bindShortcuts, .closeSession, .arm, .disarm, .key: break
            }
        }
        return effects
    }

    mutating func answer(_ answer: ShortcutSession.Answer) -> [ShortcutSession.Effect] {
        handle(.answered(attempt, answer))
    }

    mutating func bind(_ attempt: Int) {
        self.attempt = attempt
        session = "/s/\(attempt)"
        _ = answer(.version(1))
        _ = answer(.created(session: session))
        _ = answer(.listed(isKnown: false))
        _ = answer(.bound)
    }

    mutating func randomEvent(_ random: inout SplitMix) -> ShortcutSession.Event {
        let sessions = ["/s/1", "/s/2", session]
        let anySession = sessions[Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<14, using: &random) {
        case 0: return .portalOwner(nil)
        case 1: return .portalOwner(":1.\(Int.random(in: 5..<7, using: &random))")
        case 2: return .backendLost
        case 3: return .backendAppeared
        case 4: return .closed(session: anySession)
        case 5, 6: return .timerFired
        case 7: return .key(.released, session: anySession, shortcut: "talk")
        case 8, 9: return .key(.pressed, session: anySession, shortcut: "talk")
        default:
            let answers: [ShortcutSession.Answer] = [
                .registered, .version(1), .created(session: anySession), .listed(isKnown: false),
                .listed(isKnown: true), .bound,
                .failed,
                .impossible,
            ]
            return .answered(attempt, answers[Int.random(in: 0..<answers.count, using: &random)])
        }
    }
}
