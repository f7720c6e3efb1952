extension ChannelInterface {
    /// The interface text that `org.varlink.service.GetInterfaceDescription` answers with. It stays inside the grammar
    /// that the parsers of systemd and of Python both accept.
    package static let description = """
        # The channel of this machine, its transmissions and its audio session.
        #
        # There is at most one channel and at most one transmission. A transmission belongs to the connection
        # that began it: when the connection closes, it ends. Published versions of this interface are never
        # changed incompatibly; fields may be added, and a client must accept values that it does not know.
        interface org.pushtotalk.Channel

        # What asked for a transmission, in the words of Apple's PushToTalk framework.
        type Source (unknown, userRequest, developerRequest, handsfreeButton)

        type OriginKind (unknown, application, commandLine, bluetoothButton, wiredHeadset)

        # Who or what holds a transmission. Origins are the same if kind and identifier are.
        type Origin (kind: OriginKind, identifier: string, name: string)

        type EndCause (unknown, released, stopped, timeLimit, connectionLost, applicationGone,
          audioConnectionLost, channelLeft, linkLost, deviceRemoved, audioServerLost, microphoneLost, noMicrophone,
          suspended, sessionLocked, sessionInactive, modeChanged, applicationUnavailable, shuttingDown)

        # The codes of Apple's PTChannelError.
        type RefusalCode (unknown, channelNotFound, channelLimitReached, callActive, transmissionInProgress,
          transmissionNotFound, appNotForeground, deviceManagementRestriction, screenTimeRestriction,
          transmissionNotAllowed)

        type RefusalReason (code: RefusalCode, reason: string)

        # Those of PTChannelJoinReason, PTChannelLeaveReason, PTServiceStatus and PTTransmissionMode.
        type JoinReason (unknown, developerRequest, channelRestoration)

        type LeaveReason (unknown, userRequest, developerRequest, systemPolicy)

        type ServiceStatus (unknown, ready, connecting, unavailable)

        type TransmissionMode (unknown, fullDuplex, halfDuplex, listenOnly)

        # activating: a stream is being opened. active: the microphone has delivered, or the speaker is open.
        type AudioState (unknown, inactive, activating, active)

        # Signed 16-bit little-endian samples. Rates: 8000, 16000, 24000, 32000, 48000. Channels: 1 or 2.
        type AudioFormat (rate: int, channels: int)

        type Application (name: string, processID: int)

        # imageID: for GetImage.
        type Image (imageID: string, byteCount: int)

        type Participant (name: string, image: ?Image)

        # owner: the identifier of the application that the channel belongs to; application: the same while it runs.
        # participant: who talks at the other end.
        type Channel (channelID: string, name: string, image: ?Image, owner: ?string, application: ?Application,
          isApplicationStarting: bool, serviceStatus: ServiceStatus, transmissionMode: TransmissionMode,
          areAccessoryEventsEnabled: bool, participant: ?Participant)

        # began: microseconds of the monotonic clock.
        type Transmission (transmissionID: int, source: Source, origin: Origin, began: int)

        # timeLimit: the longest transmission, in seconds. saveFailure: why a reboot would find an earlier state on disk.
        type Status (channel: ?Channel, transmission: ?Transmission, audio: AudioState, isAudioServerReady: bool,
          timeLimit: int, saveFailure: ?string)

        type Interruption (unknown, audioServerLost, speakerLost, audioConnectionLost, suspended)

        type PushOutcome (unknown, answered, failed, unanswered, undeliverable)

        # kind is one of channelJoined (channel, joinReason), descriptorChanged (name, image), applicationStarting,
        # applicationDetached, channelLeft (leaveReason, explanation), serviceStatusChanged (serviceStatus),
        # transmissionModeChanged (transmissionMode), accessoryEventsChanged (isEnabled), participantChanged
        # (participant), transmissionBegan (transmission), transmissionEnded (transmission, cause, endedBy),
        # transmissionRefused (origin, refusal), timeLimitNear (secondsLeft), audioActivating, audioActivated,
        # audioDeactivated, audioInterrupted (interruption), audioInterruptionEnded, routeChanged (input, output),
        # audioServerReady, audioServerLost, pushFinished (pushID, outcome, explanation), stateSaved, stateNotSaved
        # (explanation).
        type Event (kind: string, channel: ?Channel, joinReason: ?JoinReason, leaveReason: ?LeaveReason,
          explanation: ?string, name: ?string, image: ?Image, serviceStatus: ?ServiceStatus,
          transmissionMode: ?TransmissionMode, isEnabled: ?bool, participant: ?Participant,
          transmission: ?Transmission, cause: ?EndCause, endedBy: ?Source, origin: ?Origin, refusal: ?RefusalReason,
          secondsLeft: ?int, interruption: ?Interruption, input: ?string, output: ?string, pushID: ?int,
          outcome: ?PushOutcome)

        # callID: see org.pushtotalk.Application; of no meaning for others than applications.

        # Joins a channel. An application that is attached (org.pushtotalk.Application) joins as that. For others: with
        # an application name the caller becomes the channel's application and gets a token for the audio socket;
        # when its connection closes, the channel stays, without an application, and the application may join it
        # again by its channelID; only one that is attached gets a pushToken. Without a name the channel belongs to
        # nobody. image: base64 of a PNG, JPEG, GIF or WebP file of at most 256 KiB; one that cannot be kept is left out.
        method Join(channelID: ?string, name: string, application: ?string, format: ?AudioFormat, image: ?string,
          callID: ?int) ->
          (channelID: string, token: ?string, format: AudioFormat, pushToken: ?string)

        # Leaves the channel. A transmission ends first.
        method Leave(channelID: ?string, callID: ?int) -> ()

        # Changes name and image of the channel; no image takes it away.
        method SetDescriptor(channelID: ?string, name: string, image: ?string, callID: ?int) -> ()

        # The picture of the channel or its participant, in base64.
        method GetImage(imageID: string) -> (image: string)

        # Begins a transmission for an origin. The answer comes before audio is active; Subscribe tells when it is.
        method BeginTransmitting(channelID: ?string, source: Source, origin: Origin, callID: ?int) -> (transmissionID: int)

        # Says that an origin was let go, which ends its transmission and allows it a new one after a time-out.
        # Without an origin, ends whatever transmission there is.
        method EndTransmitting(channelID: ?string, origin: ?Origin, cause: ?EndCause, callID: ?int) -> ()

        method GetStatus() -> (status: Status)

        # Call with "more". The first answer has the status, each that follows has one event. sequence grows by one
        # with each event, time is in microseconds of the monotonic clock.
        method Subscribe() -> (sequence: int, time: int, status: ?Status, event: ?Event)

        error Refused (code: RefusalCode, reason: string)

        error ImageNotFound (imageID: string)

        # The subscriber did not read fast enough and must subscribe again.
        error SubscriberLagged ()
        """
}
