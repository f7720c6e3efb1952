/// The messages of `org.pushtotalk.Application`; ``ApplicationInterface/description`` says what each means.
public enum ApplicationInterface {
    public static let name = "org.pushtotalk.Application"

    public struct AttachRequest: Equatable, Codable, Sendable {
        public let identifier: ApplicationID
        public let name: String
        /// Nil if only a person can start the application.
        public let activation: Activation?
        /// Nil: in front, unless the core has started it.
        public let isForeground: Bool?
        public let format: AudioFormat?

        public init(
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

    /// One answer of `Attach`: what it leads to in the first, an event in each that follows.
    public struct Update: Equatable, Codable, Sendable {
        public let sequence: Int
        /// Microseconds of the monotonic clock.
        public let time: Int
        public let attachment: Attachment?
        public let event: CoreEvent?

        public init(sequence: Int, time: Int, attachment: Attachment?, event: CoreEvent?) {
            self.sequence = sequence
            self.time = time
            self.attachment = attachment
            self.event = event
        }
    }

    public struct Attachment: Equatable, Codable, Sendable {
        /// What a second connection gives to `UseAttachment`, once, to make calls for this application.
        public let callToken: String
        /// What the application sends first on the audio socket; good for one connection at a time.
        public let audioToken: String
        /// For pushes; they are accepted while the channel is joined.
        public let pushToken: PushToken
        public let format: AudioFormat
        /// The channel of this application that outlived it. It is told of as joined right after this.
        public let restored: Restored?
        /// The channel of this application that was left while it was away. Told once.
        public let left: Left?
        /// What it counts as. An application that attaches again says so: the core may have forgotten that nobody has
        /// seen it.
        public let isForeground: Bool
        public let isAudioServerReady: Bool

        public init(
            callToken: String,
            audioToken: String,
            pushToken: PushToken,
            format: AudioFormat,
            restored: Restored?,
            left: Left? = nil,
            isForeground: Bool = true,
            isAudioServerReady: Bool
        ) {
            self.callToken = callToken
            self.audioToken = audioToken
            self.pushToken = pushToken
            self.format = format
            self.restored = restored
            self.left = left
            self.isForeground = isForeground
            self.isAudioServerReady = isAudioServerReady
        }
    }

    public struct Restored: Equatable, Codable, Sendable {
        public let channelID: ChannelID
        /// Whether the core has lost the descriptor and no push is waiting, so that the application should set it.
        public let needsDescriptor: Bool

        public init(channelID: ChannelID, needsDescriptor: Bool) {
            self.channelID = channelID
            self.needsDescriptor = needsDescriptor
        }
    }

    public struct Left: Equatable, Codable, Sendable {
        public let channelID: ChannelID
        public let reason: LeaveReason
        /// What people should know about it, if anything.
        public let explanation: String?

        public init(channelID: ChannelID, reason: LeaveReason, explanation: String?) {
            self.channelID = channelID
            self.reason = reason
            self.explanation = explanation
        }
    }

    public struct UseAttachmentRequest: Equatable, Codable, Sendable {
        public let callToken: String

        public init(callToken: String) {
            self.callToken = callToken
        }
    }

    public struct ForegroundRequest: Equatable, Codable, Sendable {
        public let isForeground: Bool

        public init(isForeground: Bool) {
            self.isForeground = isForeground
        }
    }

    public struct ServiceStatusRequest: Equatable, Codable, Sendable {
        public let channelID: ChannelID?
        public let status: ServiceStatus

        public init(channelID: ChannelID?, status: ServiceStatus) {
            self.channelID = channelID
            self.status = status
        }
    }

    public struct TransmissionModeRequest: Equatable, Codable, Sendable {
        public let channelID: ChannelID?
        public let mode: TransmissionMode

        public init(channelID: ChannelID?, mode: TransmissionMode) {
            self.channelID = channelID
            self.mode = mode
        }
    }

    public struct AccessoryEventsRequest: Equatable, Codable, Sendable {
        public let channelID: ChannelID?
        public let isEnabled: Bool

        public init(channelID: ChannelID?, isEnabled: Bool) {
            self.channelID = channelID
            self.isEnabled = isEnabled
        }
    }

    /// Somebody at the other end, as the application tells of them.
    public struct Speaker: Equatable, Codable, Sendable {
        public let name: String
        /// Base64 of a PNG, JPEG, GIF or WebP file. One that cannot be kept is left out, with a line in the journal.
        public let image: String?

        public init(name: String, image: String? = nil) {
            self.name = name
            self.image = image
        }
    }

    public struct ParticipantRequest: Equatable, Codable, Sendable {
        public let channelID: ChannelID?
        /// Nil: nobody talks any more.
        public let participant: Speaker?

        public init(channelID: ChannelID?, participant: Speaker?) {
            self.channelID = channelID
            self.participant = participant
        }
    }

    public enum PushResult: String, WireEnum {
        case unknown
        /// Somebody talks.
        case activeRemoteParticipant
        case leaveChannel
        /// A service update was processed.
        case processed
    }

    public struct FinishPushRequest: Equatable, Codable, Sendable {
        public let pushID: PushID
        public let result: PushResult
        public let participant: Speaker?
        /// Ends the transmission in the same step, so that the audio session stays active for who talks now.
        public let endsTransmission: Bool

        public init(
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
