/// The messages of `org.pushtotalk.Channel`, the core's socket. ``CoreInterface/description`` says what each means.
public enum CoreInterface {
    public static let name = "org.pushtotalk.Channel"

    public struct JoinRequest: Equatable, Codable, Sendable {
        /// A new one is drawn if this is nil.
        public let channelID: ChannelID?
        public let name: String
        /// Nil joins without an application: the channel stays when the connection closes.
        public let application: String?
        public let format: AudioFormat?
        /// Base64 of a PNG, JPEG, GIF or WebP file. One that cannot be kept is left out, with a line in the journal.
        public let image: String?

        public init(
            channelID: ChannelID?,
            name: String,
            application: String?,
            format: AudioFormat? = nil,
            image: String? = nil
        ) {
            self.channelID = channelID
            self.name = name
            self.application = application
            self.format = format
            self.image = image
        }
    }

    public struct JoinReply: Equatable, Codable, Sendable {
        public let channelID: ChannelID
        /// What the application sends first on the audio socket; good for one connection. Nil without an application.
        public let token: String?
        public let format: AudioFormat
        /// For pushes to the application, while the channel is joined. Nil for a caller that is not the application.
        public let pushToken: PushToken?

        public init(
            channelID: ChannelID,
            token: String?,
            format: AudioFormat,
            pushToken: PushToken? = nil
        ) {
            self.channelID = channelID
            self.token = token
            self.format = format
            self.pushToken = pushToken
        }
    }

    public struct LeaveRequest: Equatable, Codable, Sendable {
        /// Nil means the one that is joined.
        public let channelID: ChannelID?

        public init(channelID: ChannelID?) {
            self.channelID = channelID
        }
    }

    public struct DescriptorRequest: Equatable, Codable, Sendable {
        public let channelID: ChannelID?
        public let name: String
        /// As in ``JoinRequest``. Nil: no picture.
        public let image: String?

        public init(channelID: ChannelID?, name: String, image: String? = nil) {
            self.channelID = channelID
            self.name = name
            self.image = image
        }
    }

    public struct BeginRequest: Equatable, Codable, Sendable {
        public let channelID: ChannelID?
        public let source: TransmitSource
        public let origin: Origin

        public init(channelID: ChannelID?, source: TransmitSource, origin: Origin) {
            self.channelID = channelID
            self.source = source
            self.origin = origin
        }
    }

    public struct BeginReply: Equatable, Codable, Sendable {
        public let transmissionID: TransmissionID

        public init(transmissionID: TransmissionID) {
            self.transmissionID = transmissionID
        }
    }

    public struct EndRequest: Equatable, Codable, Sendable {
        public let channelID: ChannelID?
        /// The origin that was let go. Nil ends whatever transmission there is.
        public let origin: Origin?
        public let cause: EndCause?

        public init(channelID: ChannelID?, origin: Origin?, cause: EndCause?) {
            self.channelID = channelID
            self.origin = origin
            self.cause = cause
        }
    }

    public struct ImageRequest: Equatable, Codable, Sendable {
        public let imageID: String

        public init(imageID: String) {
            self.imageID = imageID
        }
    }

    public struct ImageReply: Equatable, Codable, Sendable {
        /// Base64.
        public let image: String

        public init(image: String) {
            self.image = image
        }
    }

    public struct StatusReply: Equatable, Codable, Sendable {
        public let status: Status

        public init(status: Status) {
            self.status = status
        }
    }

    /// One answer of `Subscribe`: the status in the first, an event in each that follows.
    public struct Update: Equatable, Codable, Sendable {
        /// Grows by one with each event of this run of the core.
        public let sequence: Int
        /// Microseconds of the monotonic clock.
        public let time: Int
        public let status: Status?
        public let event: CoreEvent?

        public init(sequence: Int, time: Int, status: Status?, event: CoreEvent?) {
            self.sequence = sequence
            self.time = time
            self.status = status
            self.event = event
        }
    }

    /// The error that carries a ``Refusal``.
    public static let refused = "org.pushtotalk.Channel.Refused"
    /// No channel or participant has the picture that was asked for.
    public static let imageNotFound = "org.pushtotalk.Channel.ImageNotFound"
    /// The last answer to a subscriber that did not read fast enough.
    public static let lagged = "org.pushtotalk.Channel.SubscriberLagged"
}
