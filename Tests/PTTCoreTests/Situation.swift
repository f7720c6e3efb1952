import PTTCore
import PTTMessages

/// The states that differ in what they answer, each by a way that leads to it.
enum Situation: String, CaseIterable {
    case nothingJoined
    case attached
    case joined
    case joinedByAProgram
    case joinedByThePerson
    case background
    case locked
    case elsewhere
    case activating
    case active
    case receiving
    case fullDuplexBoth
    case listenOnly
    case notReady
    case buttonsTaken
    case graceUsed
    case orphaned
    case orphanedForGood
    case starting
    case startingForAPush
    case restored
    case pushWaiting
    case speakerLost
    case audioSocketLost
    case interrupted
    case forbidden
    case pastTheLimit
    case withoutAudioServer
    case suspending
    case shuttingDown

    /// With a time limit of 60 s, at 0 s.
    var events: [TalkSession.Event] {
        let capture = TalkSession.Event.captureStarted(CaptureID(rawValue: 1))
        let playback = TalkSession.Event.playbackStarted(PlaybackID(rawValue: 1))
        let joined = [.audioServerReady, Alphabet.attachRadio(), Alphabet.join(Alphabet.radio)]
        let activating = joined + [Alphabet.begin(Alphabet.button)]
        let receiving = joined + [Alphabet.speaker(Alphabet.ann), playback]
        let orphaned = joined + [.clientDisconnected(Alphabet.radio)]
        return switch self {
        case .nothingJoined: [.audioServerReady]
        case .attached: [.audioServerReady, Alphabet.attachRadio()]
        case .joined: joined
        case .joinedByAProgram: [.audioServerReady, Alphabet.join(Alphabet.program, as: "Old")]
        case .joinedByThePerson: [.audioServerReady, Alphabet.join(Alphabet.commandLine)]
        case .background:
            joined + [Alphabet.foreground(false)]
        case .locked: joined + [.sessionLocked]
        case .elsewhere: joined + [.sessionInactive]
        case .activating, .pastTheLimit: activating
        case .active: activating + [capture]
        case .receiving: receiving
        case .fullDuplexBoth:
            joined + [Alphabet.mode(.fullDuplex), Alphabet.speaker(Alphabet.ann), playback]
                + [Alphabet.begin(Alphabet.button), capture]
        case .listenOnly: joined + [Alphabet.mode(.listenOnly)]
        case .notReady: joined + [Alphabet.status(.connecting)]
        case .buttonsTaken: joined + [Alphabet.accessories(false)]
        case .graceUsed:
            joined + [Alphabet.accessories(false)]
                + [Alphabet.foreground(false)]
                + [Alphabet.begin(Alphabet.button)]
                + [Alphabet.begin(Alphabet.radioItself, by: Alphabet.radio, .developerRequest)]
                + [Alphabet.end(nil, by: Alphabet.radio, .stopped)]
        case .orphaned: orphaned
        case .orphanedForGood:
            [.audioServerReady, Alphabet.attachIntercom, Alphabet.join(Alphabet.intercom)]
                + [.clientDisconnected(Alphabet.intercom)]
        case .starting: orphaned + [Alphabet.begin(Alphabet.button)]
        case .startingForAPush: orphaned + [Alphabet.push(Alphabet.radioToken)]
        case .restored: [Self.restoration, .audioServerReady]
        case .pushWaiting: joined + [Alphabet.push(Alphabet.radioToken)]
        case .speakerLost:
            receiving + [.playbackFailed(PlaybackID(rawValue: 1), .speakerLost, reason: "no sink")]
        case .audioSocketLost: receiving + [.audioConnectionLost(Alphabet.radio)]
        case .interrupted: receiving + [.audioServerLost]
        case .forbidden: [.audioServerReady, Alphabet.attachRadio(), .policyChanged(Policy(isClosed: true))]
        case .withoutAudioServer: joined + [.audioServerLost]
        case .suspending: joined + [.systemSuspending]
        case .shuttingDown: joined + [.shuttingDown]
        }
    }

    private static let restoration = TalkSession.Event.restored(
        SavedChannel(
            channelID: Alphabet.channel,
            owner: Owner(identifier: Alphabet.radioID, name: "Radio", activation: Alphabet.activation),
            pushToken: Alphabet.radioToken,
            transmissionMode: .halfDuplex,
            areAccessoryEventsEnabled: true
        ),
        descriptor: nil
    )

    /// When the last of ``life`` happens.
    var second: Int { self == .pastTheLimit ? Model.timeLimit : 0 }

    /// For the core and its model.
    var life: Life {
        var life = Life(whileLocked: .allow)
        life.steps = events.map { .init(second: 0, event: $0) }
        if self == .pastTheLimit { life.steps.append(.init(second: second, event: .timerFired)) }
        return life
    }

    func reach() -> (TalkSession, Observer, String?) {
        var session = TalkSession(timeLimit: .seconds(60))
        var observer = Observer(session)
        var violation: String?
        for event in events {
            violation =
                violation ?? observer.run(event, at: MonotonicTime(nanoseconds: 0), in: &session).violation
        }
        if self == .pastTheLimit {
            violation = violation ?? observer.run(.timerFired, at: .seconds(60), in: &session).violation
        }
        return (session, observer, violation)
    }
}

extension MonotonicTime {
    static func seconds(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000)
    }
}
