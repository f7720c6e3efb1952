extension ApplicationInterface {
    /// The interface text that `org.varlink.service.GetInterfaceDescription` answers with.
    package static let description = """
        # What an application and the core tell each other: the life of Apple's PTChannelManager.
        #
        # An application attaches on one connection, which then carries all that it is told, in order. It makes its
        # calls, those of org.pushtotalk.Channel included, on a second one. When either closes, the application has
        # gone: its transmission ends, its channel stays for it to come back to. Published versions of this interface are
        # never changed incompatibly; fields may be added, and a client must accept values that it does not know.
        interface org.pushtotalk.Application

        type AudioFormat (rate: int, channels: int)

        # systemdUnit: name is a unit of the user's service manager. busName: name is a well-known name on the session
        # bus that can be activated.
        type ActivationKind (unknown, systemdUnit, busName)

        type Activation (kind: ActivationKind, name: string)

        # needsDescriptor: the core has lost name and image of the channel; call SetDescriptor.
        type Restored (channelID: string, needsDescriptor: bool)

        # A channel of the application that was left while the application was away.
        type Left (channelID: string, reason: LeaveReason, explanation: ?string)

        # callToken: for UseAttachment, once. audioToken: for the audio socket, one connection at a time. pushToken: for org.pushtotalk.Push,
        # good while a channel is joined. restored: the application's channel, of which channelJoined tells next.
        # isForeground: what it counts as. Who attaches again says it again.
        type Attachment (callToken: string, audioToken: string, pushToken: string, format: AudioFormat,
          restored: ?Restored, left: ?Left, isForeground: bool, isAudioServerReady: bool)

        type PushKind (unknown, pushToTalk, serviceUpdate)

        # payload: text of a JSON object.
        type Push (pushID: int, kind: PushKind, payload: string, isHighPriority: bool,
          remainingHighPriorityBudget: int)

        type Source (unknown, userRequest, developerRequest, handsfreeButton)

        type OriginKind (unknown, application, commandLine, bluetoothButton, wiredHeadset)

        type Origin (kind: OriginKind, identifier: string, name: string)

        type EndCause (unknown, released, stopped, timeLimit, connectionLost, applicationGone,
          audioConnectionLost, channelLeft, linkLost, deviceRemoved, audioServerLost, microphoneLost,
          noMicrophone, suspended, sessionLocked, sessionInactive, modeChanged, applicationUnavailable, shuttingDown)

        type RefusalCode (unknown, channelNotFound, channelLimitReached, callActive, transmissionInProgress,
          transmissionNotFound, appNotForeground, deviceManagementRestriction, screenTimeRestriction,
          transmissionNotAllowed)

        type RefusalReason (code: RefusalCode, reason: string)

        type JoinReason (unknown, developerRequest, channelRestoration)

        type LeaveReason (unknown, userRequest, developerRequest, systemPolicy)

        type ServiceStatus (unknown, ready, connecting, unavailable)

        type TransmissionMode (unknown, fullDuplex, halfDuplex, listenOnly)

        type Interruption (unknown, audioServerLost, speakerLost, audioConnectionLost, suspended)

        type PushOutcome (unknown, answered, failed, unanswered, undeliverable)

        type Image (imageID: string, byteCount: int)

        type Participant (name: string, image: ?Image)

        type RunningApplication (name: string, processID: int)

        type Channel (channelID: string, name: string, image: ?Image, owner: ?string, application: ?RunningApplication,
          isApplicationStarting: bool, serviceStatus: ServiceStatus, transmissionMode: TransmissionMode,
          areAccessoryEventsEnabled: bool, participant: ?Participant)

        type Transmission (transmissionID: int, source: Source, origin: Origin, began: int)

        # The kinds of org.pushtotalk.Channel, and those that only the application is told: channelRestored (restored,
        # pushToken; the attachment that held the channel has gone, this one has it now), pushReceived (push),
        # requestAnswered (callID, refusal; a call of the second connection was carried out, or refused), endRefused
        # (refusal; FinishPush asked for an end and there was nothing to end), accessoryPressed and accessoryReleased
        # (origin; a button that the application handles by itself).
        type Event (kind: string, channel: ?Channel, joinReason: ?JoinReason, leaveReason: ?LeaveReason,
          explanation: ?string, name: ?string, image: ?Image, serviceStatus: ?ServiceStatus,
          transmissionMode: ?TransmissionMode, isEnabled: ?bool, participant: ?Participant,
          transmission: ?Transmission, cause: ?EndCause, endedBy: ?Source, origin: ?Origin, refusal: ?RefusalReason,
          secondsLeft: ?int, interruption: ?Interruption, input: ?string, output: ?string, restored: ?Restored, pushToken: ?string,
          push: ?Push, pushID: ?int, outcome: ?PushOutcome, callID: ?int)

        # image: base64 of a PNG, JPEG, GIF or WebP file of at most 256 KiB.
        type Speaker (name: string, image: ?string)

        type PushResult (unknown, activeRemoteParticipant, leaveChannel, processed)

        # Call with "more". The first answer has attachment, each that follows has one event. isForeground: if it is left
        # out, an application counts as in front unless the core has started it. When the attachment that held the
        # application's channel goes, the newest of the others takes its place, and channelRestored tells it. A process
        # that attaches again takes the place of its own earlier attachment at once.
        method Attach(identifier: string, name: string, activation: ?Activation, isForeground: ?bool,
          format: ?AudioFormat) -> (sequence: int, time: int, attachment: ?Attachment, event: ?Event)

        # The calls of this connection are those of the application from now on.
        method UseAttachment(callToken: string) -> ()

        # callID, in all calls: a number that the application draws, with which requestAnswered tells what came of the
        # call. A call with a number that answers nothing is answered as soon as it is understood, and may still be
        # refused: so no call waits for one that takes its time.

        # Whether the application is in front of a person, who must be asked before it joins or begins by itself.
        method SetForeground(isForeground: bool, callID: ?int) -> ()

        method SetServiceStatus(channelID: ?string, status: ServiceStatus, callID: ?int) -> ()

        method SetTransmissionMode(channelID: ?string, mode: TransmissionMode, callID: ?int) -> ()

        method SetAccessoryEventsEnabled(channelID: ?string, isEnabled: bool, callID: ?int) -> ()

        # Somebody talks at the other end, or, without a participant, nobody does any more. Answered when the speaker is
        # open, or cannot be opened; then nobody talks.
        method SetActiveRemoteParticipant(channelID: ?string, participant: ?Speaker, callID: ?int) -> ()

        # The application's answer to a push, within five seconds; to a service update, within thirty.
        method FinishPush(pushID: int, result: PushResult, participant: ?Speaker, endsTransmission: bool,
          callID: ?int) -> ()

        error Refused (code: RefusalCode, reason: string)

        # The application did not read fast enough and must attach again.
        error SubscriberLagged ()
        """

    /// The error that carries a ``Refusal``.
    package static let refused = "org.pushtotalk.Application.Refused"
}
