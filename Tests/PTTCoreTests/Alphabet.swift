import PTTCore
import PTTMessages

/// The events that the exhaustive and the random tests draw from: two channels, two applications, a bridge with two
/// buttons, and the command line.
enum Alphabet {
    static let channel = ChannelID(randomBytes: (0xA, 0xA))
    static let other = ChannelID(randomBytes: (0xB, 0xB))
    static let application = ClientID(rawValue: 1)
    static let secondApplication = ClientID(rawValue: 2)
    static let bridge = ClientID(rawValue: 3)
    static let commandLine = ClientID(rawValue: 4)
    static let button = Origin(kind: .bluetoothButton, identifier: "A4:C1:38:00:00:01", name: "PTT-Z01")
    static let headset = Origin(kind: .wiredHeadset, identifier: "usb-1", name: "Headset")
    static let program = Origin(kind: .application, identifier: "42", name: "Radio")
    static let request = RequestID(rawValue: 1)

    static func join(
        _ client: ClientID,
        _ channelID: ChannelID? = channel,
        as application: String? = "Radio",
        _ format: AudioFormat? = nil
    ) -> TalkSession.Event {
        .joinRequested(
            request,
            client,
            processID: 42,
            .init(channelID: channelID, name: "Ops", application: application, format: format),
            fresh: other
        )
    }

    static func begin(_ origin: Origin, by client: ClientID = bridge, _ channelID: ChannelID? = nil)
        -> TalkSession.Event
    {
        .beginRequested(
            request,
            client,
            .init(channelID: channelID, source: .handsfreeButton, origin: origin)
        )
    }

    static func end(
        _ origin: Origin?,
        by client: ClientID = bridge,
        _ cause: EndCause? = nil,
        channelID: ChannelID? = nil
    ) -> TalkSession.Event {
        .endRequested(request, client, .init(channelID: channelID, origin: origin, cause: cause))
    }

    static let labelled: KeyValuePairs<String, TalkSession.Event> = [
        "the application joins": join(application),
        "another application joins": join(
            secondApplication,
            channel,
            as: "Other",
            AudioFormat(rate: 16_000, channels: 2)
        ),
        "the command line joins a new channel": join(commandLine, nil, as: nil),
        "the command line joins the channel": join(commandLine, channel, as: nil),
        "the channel is left": .leaveRequested(request, commandLine, nil),
        "another channel is left": .leaveRequested(request, commandLine, other),
        "the channel is renamed": .descriptorRequested(
            request,
            commandLine,
            .init(channelID: nil, name: "Tac")
        ),
        "the button begins": begin(button),
        "the headset begins": begin(headset),
        "the application begins": begin(program, by: application, channel),
        "the button is let go": end(button),
        "the headset is unplugged": end(headset, by: bridge, .deviceRemoved),
        "the application stops": end(program, by: application, .stopped),
        "a person stops": end(nil, by: commandLine),
        "the application disconnects": .clientDisconnected(application),
        "the bridge disconnects": .clientDisconnected(bridge),
        "the timer fires": .timerFired,
        "capture 1 starts": .captureStarted(CaptureID(rawValue: 1)),
        "capture 2 starts": .captureStarted(CaptureID(rawValue: 2)),
        "capture 1 fails": .captureFailed(CaptureID(rawValue: 1), .microphoneLost),
        "the audio server is there": .audioServerReady,
        "the audio server goes": .audioServerLost,
        "the system suspends": .systemSuspending,
        "the system resumes": .systemResumed,
        "the session is locked": .sessionLocked,
        "the core shuts down": .shuttingDown,
    ]

    static let events = labelled.map(\.value)
}

/// The states that differ in what they answer, each by a way that leads to it.
enum Situation: String, CaseIterable {
    case nothingJoined
    case joined
    case orphaned
    case activating
    case active
    case pastTheLimit
    case withoutAudioServer
    case suspending
    case shuttingDown

    /// With a time limit of 60 s, at 0 s.
    var events: [TalkSession.Event] {
        let joined = [.audioServerReady, Alphabet.join(Alphabet.application)]
        let activating = joined + [Alphabet.begin(Alphabet.button)]
        return switch self {
        case .nothingJoined: [.audioServerReady]
        case .joined: joined
        case .orphaned: joined + [.clientDisconnected(Alphabet.application)]
        case .activating: activating
        case .active: activating + [.captureStarted(CaptureID(rawValue: 1))]
        case .pastTheLimit: activating
        case .withoutAudioServer: joined + [.audioServerLost]
        case .suspending: joined + [.systemSuspending]
        case .shuttingDown: joined + [.shuttingDown]
        }
    }

    func reach() -> (TalkSession, Observer) {
        var session = TalkSession(timeLimit: .seconds(60))
        var observer = Observer(session)
        for event in events {
            _ = observer.run(event, at: MonotonicTime(nanoseconds: 0), in: &session)
        }
        if self == .pastTheLimit {
            _ = observer.run(.timerFired, at: .seconds(60), in: &session)
        }
        return (session, observer)
    }
}

extension MonotonicTime {
    static func seconds(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000)
    }
}
