import PTTMessages

@testable import PTTCore

/// The states that differ in their answers, each with the events that lead to it.
enum InitialState: String, CaseIterable {
    case nothingJoined
    case attached
    case joined
    case joinedByAProgram
    case joinedByCommandLine
    case background
    case locked
    case sessionInactive
    case activating
    case active
    /// A tap latched.
    case latched
    /// A release lags.
    case released
    case receiving
    case emergency
    case emergencyWhileReceiving
    case buttonHeld
    case fullDuplexBoth
    case listenOnly
    case notReady
    case accessoryEventsOff
    case graceUsed
    case orphaned
    case orphanedWithoutActivation
    case starting
    case startingForAPush
    case restored
    case pushWaiting
    case speakerLost
    case audioSocketLost
    case interrupted
    case forbidden
    case pastTheLimit
    case emergencyPastTheLimit
    case withoutAudioServer
    case suspending
    case shuttingDown
    case recorderIdle
    case recorderReady
    case lastResort
    case lastResortEmergency
    case recording
    case recordingWhileReceiving
    case recordingWithoutAChannel
    case gateClosed
    case inCall
    case receptionInterruptedByCall
    case unheard

    /// With a time limit of 60 s, at 0 s.
    var events: [TalkSession.Event] {
        let capture = [
            TalkSession.Event.captureStarted(CaptureID(rawValue: 1)), .gateOpened(CaptureID(rawValue: 1)),
        ]
        let playback = TalkSession.Event.playbackStarted(PlaybackID(rawValue: 1))
        let joined = [.audioServerReady, TestEvents.attachRadio(), TestEvents.join(TestEvents.radio)]
        let activating = joined + [TestEvents.begin(TestEvents.button)]
        let receiving = joined + [TestEvents.speaker(TestEvents.ann), playback]
        let orphaned = joined + [.clientDisconnected(TestEvents.radio)]
        return switch self {
        case .nothingJoined: [.audioServerReady]
        case .attached: [.audioServerReady, TestEvents.attachRadio()]
        case .joined: joined
        case .joinedByAProgram: [.audioServerReady, TestEvents.join(TestEvents.program, as: "Old")]
        case .joinedByCommandLine: [.audioServerReady, TestEvents.join(TestEvents.commandLine)]
        case .background:
            joined + [TestEvents.foreground(false)]
        case .locked: joined + [.sessionLocked]
        case .sessionInactive: joined + [.sessionInactive]
        case .activating, .pastTheLimit: activating
        case .emergencyPastTheLimit: joined + [TestEvents.begin(TestEvents.button, role: .emergency)]
        case .active: activating + capture
        case .latched: activating + capture + [TestEvents.latch(TestEvents.button)]
        case .released: activating + capture + [TestEvents.end(TestEvents.button)]
        case .receiving: receiving
        case .emergency: joined + [TestEvents.begin(TestEvents.button, role: .emergency)] + capture
        case .emergencyWhileReceiving:
            receiving + [TestEvents.begin(TestEvents.button, role: .emergency)] + capture
        case .buttonHeld: joined + [TestEvents.report(.channelUp, isPressed: true)]
        case .fullDuplexBoth:
            joined + [TestEvents.mode(.fullDuplex), TestEvents.speaker(TestEvents.ann), playback]
                + [TestEvents.begin(TestEvents.button)] + capture
        case .listenOnly: joined + [TestEvents.mode(.listenOnly)]
        case .notReady: joined + [TestEvents.status(.connecting)]
        case .accessoryEventsOff: joined + [TestEvents.accessories(false)]
        case .graceUsed:
            joined + [TestEvents.accessories(false)]
                + [TestEvents.foreground(false)]
                + [TestEvents.begin(TestEvents.button)]
                + [TestEvents.begin(TestEvents.radioItself, by: TestEvents.radio, .developerRequest)]
                + [TestEvents.end(nil, by: TestEvents.radio, .stopped)]
        case .orphaned: orphaned
        case .orphanedWithoutActivation:
            [.audioServerReady, TestEvents.attachIntercom, TestEvents.join(TestEvents.intercom)]
                + [.clientDisconnected(TestEvents.intercom)]
        case .starting: orphaned + [TestEvents.begin(TestEvents.button)]
        case .startingForAPush: orphaned + [TestEvents.push(TestEvents.radioToken)]
        case .restored: [TestEvents.restored, .audioServerReady]
        case .pushWaiting: joined + [TestEvents.push(TestEvents.radioToken)]
        case .speakerLost:
            receiving + [.playbackFailed(PlaybackID(rawValue: 1), .speakerLost, reason: "no sink")]
        case .audioSocketLost: receiving + [.audioConnectionLost(TestEvents.radio)]
        case .interrupted: receiving + [.audioServerLost]
        case .forbidden:
            [.audioServerReady, TestEvents.attachRadio(), .policyChanged(Policy(isClosed: true))]
        case .withoutAudioServer: joined + [.audioServerLost]
        case .suspending: joined + [.systemSuspending]
        case .shuttingDown: joined + [.shuttingDown]
        case .recording: joined + [TestEvents.record()] + capture
        case .recordingWhileReceiving: receiving + [TestEvents.record()] + capture
        case .recordingWithoutAChannel:
            [.audioServerReady, TestEvents.recorded, TestEvents.record(role: .emergency)] + capture
        case .gateClosed: activating + capture.prefix(1)
        case .inCall: joined + [TestEvents.call]
        case .receptionInterruptedByCall: receiving + [TestEvents.call]
        case .unheard: receiving + [TestEvents.call, .callChanged(nil)]
        case .recorderIdle: [.audioServerReady, .virtualMicrophoneChanged(.idle)]
        case .recorderReady: [.audioServerReady, TestEvents.attachRadio(), TestEvents.recorded]
        case .lastResort:
            [.audioServerReady, TestEvents.attachRadio(), TestEvents.recorded]
                + [TestEvents.begin(TestEvents.button)] + capture
        case .lastResortEmergency:
            [.audioServerReady, TestEvents.recorded]
                + [TestEvents.begin(TestEvents.button, role: .emergency)] + capture
        }
    }

    /// When the last step of ``sequence`` happens.
    var end: MonotonicTime { .seconds(0) + (isPastTheLimit ? Model.timeLimit : .zero) }

    private var isPastTheLimit: Bool { self == .pastTheLimit || self == .emergencyPastTheLimit }

    private var releaseLag: Duration { self == .released ? TalkSession.releaseLags.upperBound : .zero }

    /// For the core and its model.
    var sequence: EventSequence {
        var sequence = EventSequence(whileLocked: .allow, releaseLag: releaseLag)
        sequence.steps = events.map { .init(time: .seconds(0), event: $0) }
        if isPastTheLimit { sequence.steps.append(.init(time: end, event: .timerFired)) }
        return sequence
    }

    func reach() -> (TalkSession, Observer, String?) {
        var session = TalkSession(timeLimit: .seconds(60), releaseLag: releaseLag)
        var observer = Observer(session)
        var violation: String?
        for event in events {
            violation =
                violation ?? observer.run(event, at: MonotonicTime(nanoseconds: 0), in: &session).violation
        }
        if isPastTheLimit {
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
