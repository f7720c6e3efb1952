/// `org.pushtotalk.Application` on the core's socket: the text of the interface, its methods and their
/// messages.
package enum ApplicationInterface {
    package static let name = "org.pushtotalk.Application"

    /// The interface text, the reply to `org.varlink.service.GetInterfaceDescription`.
    package static let description = """
        # Applications that use push-to-talk, with the life cycle of Apple's PTChannelManager.
        #
        # An application attaches on one connection, on which it then receives all its events, in order. It makes its
        # calls, those of org.pushtotalk.Channel included, on a second one. Closing either connection detaches the
        # application: its transmission ends; its channel stays joined, and is restored when it attaches again.
        # Published versions of this interface are never changed incompatibly; fields may be added, and a client must
        # accept values that it does not know.
        interface \(name)

        \(types)

        \(CoreEvent.applicationDeclaration)

        # image: base64 of a PNG, JPEG, GIF or WebP file of at most \(Image.sizeLimit / 1024) KiB; any other is ignored.
        type Speaker (name: string, image: ?string)

        type PushResult (unknown, activeRemoteParticipant, leaveChannel, processed)

        # Call with "more". The first reply has the attachment, each later one has one event. isForeground: if it is
        # left out, the application counts as in the foreground unless pttd has started it. When the attachment that
        # holds the application's channel ends, the newest of the application's others takes its place and receives
        # channelRestored. That holds for connections of one process as well.
        method Attach(identifier: string, name: string, activation: ?Activation, isForeground: ?bool,
          format: ?AudioFormat) -> (sequence: int, time: int, attachment: ?Attachment, event: ?Event)

        # From now on the calls of this connection are those of the attached application.
        method UseAttachment(callToken: string) -> ()

        # callID, in all methods: a number that the application chooses, repeated in requestAnswered with the result of
        # the call. With a callID, a method that returns nothing replies as soon as the call is parsed, and may still be
        # refused: so no call waits for one that takes longer.

        # Whether the application is in front of a person. Only then may it join, or begin a transmission by itself;
        # shortly after accessoryPressed it may begin one in any case.
        method SetForeground(isForeground: bool, callID: ?int) -> ()

        method SetServiceStatus(channelID: ?string, status: ServiceStatus, callID: ?int) -> ()

        method SetTransmissionMode(channelID: ?string, mode: TransmissionMode, callID: ?int) -> ()

        method SetAccessoryEventsEnabled(channelID: ?string, isEnabled: bool, callID: ?int) -> ()

        # Samples for the speaker may be written ahead of time. pttd holds 100 ms of them in addition to the audio server's
        # 40 ms, and does not read the audio socket while it holds more: a writer that would wait is told so by the
        # socket. What it holds is dropped when the participant is cleared.

        # A participant at the other end begins to talk or, without a participant, has stopped. The reply comes when the
        # speaker is open, or could not be opened; then no participant talks.
        method SetActiveRemoteParticipant(channelID: ?string, participant: ?Speaker, callID: ?int) -> ()

        # The application's answer to a push, within five seconds; to a service update, within thirty.
        method FinishPush(pushID: int, result: PushResult, participant: ?Speaker, endsTransmission: bool,
          callID: ?int) -> ()

        \(Refusal.errorDeclaration)

        # The application did not read fast enough and must attach again.
        error SubscriberLagged ()
        """

    private static var types: String {
        [
            AudioFormat.declaration,
            Activation.Kind.declaration,
            Activation.declaration,
            Restored.declaration,
            Left.declaration,
            Attachment.declaration,
            PushKind.declaration,
            Push.declaration,
            TransmitSource.declaration,
            OriginKind.declaration,
            Origin.declaration,
            ButtonRole.declaration,
            EndCause.declaration,
            RefusalCode.declaration,
            Refusal.declaration,
            JoinReason.declaration,
            LeaveReason.declaration,
            ServiceStatus.declaration,
            TransmissionMode.declaration,
            Interruption.declaration,
            PushOutcome.declaration,
            ImageSummary.declaration,
            Participant.declaration,
            Application.declaration(as: "RunningApplication"),
            Channel.declaration(application: "RunningApplication"),
            Transmission.declaration,
            VirtualMicrophone.State.declaration,
            VirtualMicrophone.declaration,
            ActiveCall.declaration,
            MicrophoneState.declaration,
        ].joined(separator: "\n\n")
    }

    /// The error with a ``Refusal`` as its parameters.
    package static let refused = "\(name).Refused"

    package static let attach = InterfaceMethod<AttachRequest, Update>("Attach", of: name)
    package static let useAttachment = InterfaceMethod<UseAttachmentRequest, NoParameters>(
        "UseAttachment",
        of: name
    )
    package static let setForeground = InterfaceMethod<ForegroundRequest, NoParameters>(
        "SetForeground",
        of: name
    )
    package static let setServiceStatus = InterfaceMethod<ServiceStatusRequest, NoParameters>(
        "SetServiceStatus",
        of: name
    )
    package static let setTransmissionMode = InterfaceMethod<TransmissionModeRequest, NoParameters>(
        "SetTransmissionMode",
        of: name
    )
    package static let setAccessoryEventsEnabled = InterfaceMethod<AccessoryEventsRequest, NoParameters>(
        "SetAccessoryEventsEnabled",
        of: name
    )
    package static let setActiveRemoteParticipant = InterfaceMethod<ParticipantRequest, NoParameters>(
        "SetActiveRemoteParticipant",
        of: name
    )
    package static let finishPush = InterfaceMethod<FinishPushRequest, NoParameters>("FinishPush", of: name)

    package struct AttachRequest: Equatable, Codable, Sendable {
        package let identifier: ApplicationID
        package let name: String
        /// Nil if only a person can start the application.
        package let activation: Activation?
        /// Nil: in the foreground, unless the core has started it.
        package let isForeground: Bool?
        package let format: AudioFormat?

        package init(
            identifier: ApplicationID,
            name: String,
            activation: Activation? = nil,
            isForeground: Bool? = nil,
            format: AudioFormat? = nil
        ) {
            self.identifier = identifier
            self.name = name
            self.activation = activation
            self.isForeground = isForeground
            self.format = format
        }
    }

    /// One reply to `Attach`: the first has the attachment, each later one has an event.
    package struct Update: Equatable, Codable, Sendable {
        package let sequence: Int
        /// Microseconds of the monotonic clock.
        package let time: Int
        package let attachment: Attachment?
        private let tagged: Tagged<CoreEvent>?
        package var event: CoreEvent? { tagged?.value }

        package init(sequence: Int, time: Int, attachment: Attachment?, event: CoreEvent?) {
            self.sequence = sequence
            self.time = time
            self.attachment = attachment
            tagged = event.map(Tagged.init)
        }

        private enum CodingKeys: String, CodingKey {
            case sequence, time, attachment
            case tagged = "event"
        }
    }

    package struct UseAttachmentRequest: Equatable, Codable, Sendable {
        package let callToken: String

        package init(callToken: String) {
            self.callToken = callToken
        }
    }

    package struct ForegroundRequest: Equatable, Codable, Sendable {
        package let isForeground: Bool

        package init(isForeground: Bool) {
            self.isForeground = isForeground
        }
    }

    package struct ServiceStatusRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        package let status: ServiceStatus

        package init(channelID: ChannelID?, status: ServiceStatus) {
            self.channelID = channelID
            self.status = status
        }
    }

    package struct TransmissionModeRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        package let mode: TransmissionMode

        package init(channelID: ChannelID?, mode: TransmissionMode) {
            self.channelID = channelID
            self.mode = mode
        }
    }

    package struct AccessoryEventsRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        package let isEnabled: Bool

        package init(channelID: ChannelID?, isEnabled: Bool) {
            self.channelID = channelID
            self.isEnabled = isEnabled
        }
    }

    /// A participant at the other end, as the application reports it.
    package struct Speaker: Equatable, Codable, Sendable {
        package let name: String
        /// Base64 of a PNG, JPEG, GIF or WebP file. Any other is ignored, with a line in the journal.
        package let image: String?

        package init(name: String, image: String? = nil) {
            self.name = name
            self.image = image
        }
    }

    package struct ParticipantRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        /// Nil: no participant talks any more.
        package let participant: Speaker?

        package init(channelID: ChannelID?, participant: Speaker?) {
            self.channelID = channelID
            self.participant = participant
        }
    }

    package enum PushResult: String, WireEnum {
        case unknown
        /// A participant talks.
        case activeRemoteParticipant
        case leaveChannel
        /// A service update was processed.
        case processed
    }

    package struct FinishPushRequest: Equatable, Codable, Sendable {
        package let pushID: PushID
        package let result: PushResult
        package let participant: Speaker?
        /// Ends the transmission in the same step, so that the audio session stays active for the
        /// participant.
        package let endsTransmission: Bool

        package init(
            pushID: PushID,
            result: PushResult,
            participant: Speaker? = nil,
            endsTransmission: Bool = false
        ) {
            self.pushID = pushID
            self.result = result
            self.participant = participant
            self.endsTransmission = endsTransmission
        }
    }
}
