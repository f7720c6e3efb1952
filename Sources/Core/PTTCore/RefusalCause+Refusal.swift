package import PTTMessages

extension RefusalCause {
    package var forClient: Refusal { Refusal(code, Text(sentence)) }

    private var code: RefusalCode {
        switch self {
        case .notJoined, .notYours, .otherChannel, .channelLeft: .channelNotFound
        case .channelLimit: .channelLimitReached
        case .noRecorder: .noRecorder
        case .callActive: .callActive
        case .inProgress, .talkedOver, .holdsTransmission: .transmissionInProgress
        case .noTransmission, .notHeld, .noRemoteParticipant: .transmissionNotFound
        case .notInForeground: .appNotForeground
        case .forbidden, .unusablePolicy: .deviceManagementRestriction
        case .closed: .screenTimeRestriction
        case .listenOnly, .remoteSpeaks, .accessoriesOff, .notReady, .timedOut: .transmissionNotAllowed
        case .suspending, .shuttingDown, .sessionInactive, .sessionUnknown, .sessionLocked, .lockUnknown,
            .noAudioServer, .attachedAlready, .notAttached, .absent, .noAudioConnection, .applicationGone,
            .noSuchPush, .noParticipant, .wrongResult, .receivesNoButtons, .doesNotTransmit, .transmits,
            .participantCleared, .speakerUnavailable, .tooManyWaiting, .unknownValue, .volumeOutOfRange,
            .emptyName, .longName:
            .unknown
        }
    }

    var reason: String { Text(sentence).english }

    /// For people: names the obstacle and, where there is something to do about it, what.
    private var sentence: Text.Literal {
        switch self {
        case .suspending: "the system is about to suspend"
        case .shuttingDown: "pttd is shutting down"
        case .sessionInactive: "another session is active at this seat"
        case .sessionUnknown: "logind has not said whether this session is active"
        case .sessionLocked:
            "the screen is locked, and the configuration refuses transmissions then (pttd.toml, while-locked)"
        case .lockUnknown: "logind has not said whether the screen is locked"
        case .noAudioServer:
            "no audio server is ready: is PipeWire or PulseAudio running? `pttctl status` shows when it is ready"
        case .callActive(let call): "a call is active (\(call.source), \(call.name)): end it first"
        case .forbidden(let application):
            "the policy file does not allow \(application.rawValue) (policy.toml, allow, deny, exclude)"
        case .closed: "the policy file closes push-to-talk at this time (policy.toml, [[closed]])"
        case .unusablePolicy(let reason): "no application may join while the policy cannot be read: \(reason)"
        case .notJoined: "no channel is joined: run `pttctl join`"
        case .noRecorder: "no application uses the Push-to-Talk Microphone"
        case .notYours(let joined):
            "the channel \(joined.name) (\(joined.channelID.description)) belongs to another application"
        case .otherChannel(let channelID, let joined):
            "the channel \(channelID.description) is not joined; \(joined.name) (\(joined.channelID.description)) is"
        case .channelLimit(let joined, let holder?):
            "the channel \(joined.name) (\(joined.channelID.description)) is already joined, held by \(holder): "
                + "leave it first with `pttctl leave`"
        case .channelLimit(let joined, nil):
            "the channel \(joined.name) (\(joined.channelID.description)) is already joined: "
                + "join it by this identifier, or leave it first with `pttctl leave`"
        case .channelLeft: "the channel was left"
        case .attachedAlready: "this connection is already attached, or has a channel"
        case .notAttached: "this connection is not attached: call Attach first"
        case .notInForeground(let owner):
            "\(Self.name(owner)) is not in the foreground: bring it to the front, or press a button"
        case .absent(let owner):
            "\(Self.name(owner)), the application of the channel, is not running: start it, or leave with `pttctl leave`"
        case .notReady(.connecting, let owner): "\(Self.name(owner)) is still connecting to its service"
        case .notReady(_, let owner): "the service of \(Self.name(owner)) is unavailable"
        case .noAudioConnection(let owner):
            "\(Self.name(owner)) closed its audio socket: it must connect again, or be restarted"
        case .applicationGone: "the application has disconnected"
        case .noSuchPush(let pushID):
            "push \(pushID.rawValue) does not wait for an answer: the answer came too late, or twice"
        case .noParticipant: "the answer to the push names no participant"
        case .wrongResult: "the answer does not match the kind of the push"
        case .noTransmission: "no transmission is in progress"
        case .holdsTransmission:
            "this connection is transmitting: end the transmission first, or attach on another connection"
        case .inProgress(let transmission): "\(transmission.origin.name) is already transmitting"
        case .notHeld(let origin, let role, let transmission):
            if transmission.origin != origin {
                "\(origin.name) is not transmitting; \(transmission.origin.name) is"
            } else if let role, transmission.role != role {
                "\(origin.name) transmits with its \(transmission.role.rawValue) button, not with \(role.rawValue)"
            } else {
                "the transmission of \(origin.name) belongs to another connection"
            }
        case .timedOut(let origin): "\(origin.name) reached the time limit: release it, then press again"
        case .listenOnly: "the application has set the channel to listen only"
        case .remoteSpeaks(let name): "\(name) is talking, and the channel is half duplex"
        case .accessoriesOff: "the application handles accessory buttons itself"
        case .receivesNoButtons:
            "the application of the channel joined without attaching, and is not notified of buttons"
        case .doesNotTransmit(let role): "a \(role.rawValue) button does not transmit: call ReportButton"
        case .transmits(let role): "the \(role.rawValue) button transmits: call BeginTransmitting"
        case .noRemoteParticipant: "no remote participant is set"
        case .participantCleared: "the participant was cleared before the speaker was open"
        case .talkedOver(let transmission):
            "\(transmission.origin.name) is transmitting, and the channel is half duplex"
        case .speakerUnavailable(let reason): "the participant cannot be heard: \(reason)"
        case .tooManyWaiting:
            "\(Reception.requestLimit) requests already wait for the speaker to open: wait for their answers"
        case .unknownValue: "this version of pttd does not know that value: is it older than its client?"
        case .volumeOutOfRange:
            "a volume is \(TalkSession.volumes.lowerBound) to \(TalkSession.volumes.upperBound) percent"
        case .emptyName: "a name is empty: give one"
        case .longName:
            "a name is longer than \(TalkSession.longestText) bytes: choose a shorter one"
        }
    }

    private static func name(_ owner: Owner?) -> String { owner?.name ?? "the application" }
}
