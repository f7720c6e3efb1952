import PTTMessages

/// Every reason that the core gives. Each names the obstacle and, where there is something to do about it, what.
extension Refusal {
    static let notJoined = Refusal(.channelNotFound, "no channel is joined: run `pttctl join`")

    static let noRecorder = Refusal(.noRecorder, "no application uses the Push-to-Talk Microphone")

    static let noTransmission = Refusal(.transmissionNotFound, "no transmission is in progress")

    static let noRemoteParticipant = Refusal(.transmissionNotFound, "no remote participant is set")

    static let noAudioServer = Refusal(
        .unknown,
        "no audio server is connected: is PipeWire or PulseAudio running? `pttctl status` shows when it is connected"
    )

    static let suspending = Refusal(.unknown, "the system is about to suspend")

    static let shuttingDown = Refusal(.unknown, "pttd is shutting down")

    static let sessionInactive = Refusal(.unknown, "another session is active at this seat")

    static let sessionLocked = Refusal(
        .unknown,
        "the screen is locked, and the configuration refuses transmissions then (pttd.toml, while-locked)"
    )

    static let lockUnknown = Refusal(.unknown, "logind has not said whether the screen is locked")

    static func callActive(_ call: ActiveCall) -> Refusal {
        Refusal(.callActive, "a call is active (\(call.source), \(call.name)): end it first")
    }

    static let listenOnly = Refusal(
        .transmissionNotAllowed,
        "the application has set the channel to listen only"
    )

    static let accessoriesOff = Refusal(
        .transmissionNotAllowed,
        "the application handles accessory buttons itself"
    )

    static let closed = Refusal(
        .screenTimeRestriction,
        "the policy file closes push-to-talk at this time (policy.toml, [[closed]])"
    )

    static let attachedAlready = Refusal(.unknown, "this connection is already attached, or has a channel")

    static let holdsTransmission = Refusal(
        .transmissionInProgress,
        "this connection is transmitting: end the transmission first, or attach on another connection"
    )

    static let tooManyWaiting = Refusal(
        .unknown,
        "\(Reception.requestLimit) requests already wait for the speaker to open: wait for their answers"
    )

    static let notAttached = Refusal(.unknown, "this connection is not attached: call Attach first")

    static let unknownValue = Refusal(
        .unknown,
        "this version of pttd does not know that value: is it older than its client?"
    )

    static let receivesNoButtons = Refusal(
        .unknown,
        "the application of the channel joined without attaching, and is not notified of buttons"
    )

    static let volumeOutOfRange = Refusal(
        .unknown,
        "a volume is \(TalkSession.volumes.lowerBound) to \(TalkSession.volumes.upperBound) percent"
    )

    static func doesNotTransmit(_ role: ButtonRole) -> Refusal {
        Refusal(.unknown, "a \(role.rawValue) button does not transmit: call ReportButton")
    }

    static func transmits(_ role: ButtonRole) -> Refusal {
        Refusal(.unknown, "the \(role.rawValue) button transmits: call BeginTransmitting")
    }

    static let noParticipant = Refusal(.unknown, "the answer to the push names no participant")

    static let participantCleared = Refusal(
        .unknown,
        "the participant was cleared before the speaker was open"
    )

    static let applicationGone = Refusal(.unknown, "the application has disconnected")

    static let channelLeft = Refusal(.channelNotFound, "the channel was left")

    static let wrongResult = Refusal(.unknown, "the answer does not match the kind of the push")

    static func noSuchPush(_ pushID: PushID) -> Refusal {
        Refusal(
            .unknown,
            "push \(pushID.rawValue) does not wait for an answer: the answer came too late, or twice"
        )
    }

    static func forbidden(_ application: ApplicationID) -> Refusal {
        Refusal(
            .deviceManagementRestriction,
            "the policy file does not allow \(application.rawValue) (policy.toml, allow, deny, exclude)"
        )
    }

    /// A policy that cannot be read may forbid anything.
    static func unusablePolicy(_ reason: String) -> Refusal {
        Refusal(
            .deviceManagementRestriction,
            "no application may join while the policy cannot be read: \(reason)"
        )
    }

    static func notInForeground(_ owner: Owner?) -> Refusal {
        let name = owner?.name ?? "the application"
        return Refusal(
            .appNotForeground,
            "\(name) is not in the foreground: bring it to the front, or press a button"
        )
    }

    static func noAudioConnection(_ owner: Owner?) -> Refusal {
        Refusal(
            .unknown,
            "\(owner?.name ?? "the application") closed its audio socket: it must connect again, or be restarted"
        )
    }

    static func speakerUnavailable(_ reason: String) -> Refusal {
        Refusal(.unknown, "the participant cannot be heard: \(reason)")
    }

    static func remoteSpeaks(_ name: String) -> Refusal {
        Refusal(.transmissionNotAllowed, "\(name) is talking, and the channel is half duplex")
    }

    static func talkedOver(_ transmission: Transmission) -> Refusal {
        Refusal(
            .transmissionInProgress,
            "\(transmission.origin.name) is transmitting, and the channel is half duplex"
        )
    }

    static func notReady(_ status: ServiceStatus, _ owner: Owner?) -> Refusal {
        let name = owner?.name ?? "the application"
        return Refusal(
            .transmissionNotAllowed,
            status == .connecting
                ? "\(name) is still connecting to its service" : "the service of \(name) is unavailable"
        )
    }

    static func absent(_ owner: Owner?) -> Refusal {
        let name = owner?.name ?? "the application"
        return Refusal(
            .unknown,
            "\(name), the application of the channel, is not running: start it, or leave with `pttctl leave`"
        )
    }

    static func notYours(_ joined: JoinedChannel) -> Refusal {
        Refusal(
            .channelNotFound,
            "the channel \(joined.descriptor.name) (\(joined.channelID)) belongs to another application"
        )
    }

    static func channelLimit(_ joined: JoinedChannel) -> Refusal {
        let holder = joined.application ?? joined.owner.map { Application(name: $0.name, processID: 0) }
        let way =
            joined.owner == nil && joined.receiver == nil
            ? "join it by this identifier, or leave it first with `pttctl leave`"
            : "leave it first with `pttctl leave`"
        return Refusal(
            .channelLimitReached,
            "the channel \(joined.descriptor.name) (\(joined.channelID)) is already joined"
                + (holder.map { ", held by \($0.name)" } ?? "") + ": \(way)"
        )
    }

    static func otherChannel(_ channelID: ChannelID, joined: JoinedChannel) -> Refusal {
        Refusal(
            .channelNotFound,
            "the channel \(channelID) is not joined; \(joined.descriptor.name) (\(joined.channelID)) is"
        )
    }

    static func inProgress(_ transmission: Transmission) -> Refusal {
        Refusal(.transmissionInProgress, "\(transmission.origin.name) is already transmitting")
    }

    static func notHeld(by origin: Origin, _ role: ButtonRole?, _ transmission: Transmission) -> Refusal {
        let reason =
            if transmission.origin != origin {
                "\(origin.name) is not transmitting; \(transmission.origin.name) is"
            } else if let role, transmission.role != role {
                "\(origin.name) transmits with its \(transmission.role.rawValue) button, not with \(role.rawValue)"
            } else {
                "the transmission of \(origin.name) belongs to another connection"
            }
        return Refusal(.transmissionNotFound, reason)
    }

    static func timedOut(_ origin: Origin) -> Refusal {
        Refusal(
            .transmissionNotAllowed,
            "\(origin.name) reached the time limit: release it, then press again"
        )
    }

    /// Nil if the name is not empty and all texts are short enough to keep.
    static func unusable(_ name: String = "name", longest texts: String...) -> Refusal? {
        if name.isEmpty { return Refusal(.unknown, "a name is empty: give one") }
        guard texts.contains(where: { $0.utf8.count > TalkSession.longestText }) else { return nil }
        return Refusal(
            .unknown,
            "a name is longer than \(TalkSession.longestText) bytes: choose a shorter one"
        )
    }
}

extension PushRejection {
    static let badToken = PushRejection(.badDeviceToken, "no channel has this push token")

    static let unregistered = PushRejection(
        .unregistered,
        "the channel of this push token is no longer joined, or not yet"
    )

    static let shuttingDown = PushRejection(.unknown, "pttd is shutting down")

    static let notAttached = PushRejection(
        .unregistered,
        "the application of the channel joined without attaching, and receives no pushes"
    )

    static let payloadTooLarge = PushRejection(
        .payloadTooLarge,
        "the payload is larger than \(PushInterface.SendRequest.longestPayload) bytes"
    )

    static let overBudget = PushRejection(
        .tooManyRequests,
        "\(PushBudget.size) service updates of high priority came within the hour: use a priority of 5 or less"
    )

    static let tooManyWaiting = PushRejection(
        .tooManyRequests,
        "\(WaitingPush.limit) pushes already wait for the application"
    )

    static func badType(_ type: String) -> PushRejection {
        PushRejection(.invalidPushType, "the push type is \(type.traced), it must be \"pushtotalk\"")
    }

    static func badTopic(_ topic: String, expected: String) -> PushRejection {
        PushRejection(
            .deviceTokenNotForTopic,
            "the topic is \(topic.traced), this token is for \(expected.traced)"
        )
    }

    static func badPayload(_ reason: String) -> PushRejection {
        PushRejection(.badPayload, "the payload cannot be used: \(reason)")
    }

    /// Why the priority or the expiration of a push is not accepted.
    static func timing(of request: PushInterface.SendRequest, _ kind: PushKind, arrived: Int)
        -> PushRejection?
    {
        switch kind {
        case .serviceUpdate:
            if !(1...10).contains(request.priority) {
                return PushRejection(.badPriority, "the priority is \(request.priority), it must be 1 to 10")
            }
            if request.expiration != 0, request.expiration <= arrived {
                return PushRejection(.badExpirationDate, "the push has expired")
            }
        case .pushToTalk, .unknown:
            if request.priority != 10 {
                return PushRejection(.badPriority, "the priority is \(request.priority), it must be 10")
            }
            if request.expiration != 0 {
                let reason = "the expiration is \(request.expiration), it must be 0: now or never"
                return PushRejection(.badExpirationDate, reason)
            }
        }
        return nil
    }
}
