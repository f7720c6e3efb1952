/// The messages of `org.pushtotalk.Application`; ``ApplicationInterface/description`` says what each means.
package enum ApplicationInterface {
    package static let name = "org.pushtotalk.Application"

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
        /// Nil: in front, unless the core has started it.
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

    /// One answer of `Attach`: what it leads to in the first, an event in each that follows.
    package struct Update: Equatable, Codable, Sendable {
        package let sequence: Int
        /// Microseconds of the monotonic clock.
        package let time: Int
        package let attachment: Attachment?
        package let event: CoreEvent?

        package init(sequence: Int, time: Int, attachment: Attachment?, event: CoreEvent?) {
            self.sequence = sequence
            self.time = time
            self.attachment = attachment
            self.event = event
        }
    }

    package struct Attachment: Equatable, Codable, Sendable {
        /// What a second connection gives to `UseAttachment`, once, to make calls for this application.
        package let callToken: String
        /// What the application sends first on the audio socket; good for one connection at a time.
        package let audioToken: String
        /// For pushes; they are accepted while the channel is joined.
        package let pushToken: PushToken
        package let format: AudioFormat
        /// The channel of this application that outlived it. It is told of as joined right after this.
        package let restored: Restored?
        /// The channel of this application that was left while it was away. Told once.
        package let left: Left?
        /// What it counts as. An application that attaches again says so: the core may have forgotten that nobody has
        /// seen it.
        package let isForeground: Bool
        package let isAudioServerReady: Bool

        package init(
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

    package struct Restored: Equatable, Codable, Sendable {
        package let channelID: ChannelID
        /// Whether the core has lost the descriptor and no push is waiting, so that the application should set it.
        package let needsDescriptor: Bool

        package init(channelID: ChannelID, needsDescriptor: Bool) {
            self.channelID = channelID
            self.needsDescriptor = needsDescriptor
        }
    }

    package struct Left: Equatable, Codable, Sendable {
        package let channelID: ChannelID
        package let reason: LeaveReason
        /// What people should know about it, if anything.
        package let explanation: String?

        package init(channelID: ChannelID, reason: LeaveReason, explanation: String?) {
            self.channelID = channelID
            self.reason = reason
            self.explanation = explanation
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

    /// Somebody at the other end, as the application tells of them.
    package struct Speaker: Equatable, Codable, Sendable {
        package let name: String
        /// Base64 of a PNG, JPEG, GIF or WebP file. One that cannot be kept is left out, with a line in the journal.
        package let image: String?

        package init(name: String, image: String? = nil) {
            self.name = name
            self.image = image
        }
    }

    package struct ParticipantRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        /// Nil: nobody talks any more.
        package let participant: Speaker?

        package init(channelID: ChannelID?, participant: Speaker?) {
            self.channelID = channelID
            self.participant = participant
        }
    }

    package enum PushResult: String, WireEnum {
        case unknown
        /// Somebody talks.
        case activeRemoteParticipant
        case leaveChannel
        /// A service update was processed.
        case processed
    }

    package struct FinishPushRequest: Equatable, Codable, Sendable {
        package let pushID: PushID
        package let result: PushResult
        package let participant: Speaker?
        /// Ends the transmission in the same step, so that the audio session stays active for who talks now.
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
