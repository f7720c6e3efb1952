/// `org.pushtotalk.Application` on the core's socket: its methods and their messages.
package enum ApplicationInterface {
    package static let name = "org.pushtotalk.Application"

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
        /// As in ``ChannelInterface/SubscribeRequest``.
        package let kinds: [String]?

        package init(
            identifier: ApplicationID,
            name: String,
            activation: Activation? = nil,
            isForeground: Bool? = nil,
            format: AudioFormat? = nil,
            kinds: [String]? = nil
        ) {
            self.identifier = identifier
            self.name = name
            self.activation = activation
            self.isForeground = isForeground
            self.format = format
            self.kinds = kinds
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
