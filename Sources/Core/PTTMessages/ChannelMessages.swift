/// The messages of `org.pushtotalk.Channel`, the core's socket. ``ChannelInterface/description`` says what each means.
package enum ChannelInterface {
    package static let name = "org.pushtotalk.Channel"

    package static let join = InterfaceMethod<JoinRequest, JoinReply>("Join", of: name)
    package static let leave = InterfaceMethod<LeaveRequest, NoParameters>("Leave", of: name)
    package static let setDescriptor = InterfaceMethod<DescriptorRequest, NoParameters>(
        "SetDescriptor",
        of: name
    )
    package static let getImage = InterfaceMethod<ImageRequest, ImageReply>("GetImage", of: name)
    package static let beginTransmitting = InterfaceMethod<BeginRequest, BeginReply>(
        "BeginTransmitting",
        of: name
    )
    package static let endTransmitting = InterfaceMethod<EndRequest, NoParameters>(
        "EndTransmitting",
        of: name
    )
    package static let getStatus = InterfaceMethod<NoParameters, StatusReply>("GetStatus", of: name)
    package static let subscribe = InterfaceMethod<NoParameters, Update>("Subscribe", of: name)

    package struct JoinRequest: Equatable, Codable, Sendable {
        /// A new one is drawn if this is nil.
        package let channelID: ChannelID?
        package let name: String
        /// Nil joins without an application: the channel stays when the connection closes.
        package let application: String?
        package let format: AudioFormat?
        /// Base64 of a PNG, JPEG, GIF or WebP file. One that cannot be kept is left out, with a line in the journal.
        package let image: String?

        package init(
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

    package struct JoinReply: Equatable, Codable, Sendable {
        package let channelID: ChannelID
        /// What the application sends first on the audio socket; good for one connection. Nil without an application.
        package let token: String?
        package let format: AudioFormat
        /// For pushes to the application, while the channel is joined. Nil for a caller that is not the application.
        package let pushToken: PushToken?

        package init(
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

    package struct LeaveRequest: Equatable, Codable, Sendable {
        /// Nil means the one that is joined.
        package let channelID: ChannelID?

        package init(channelID: ChannelID?) {
            self.channelID = channelID
        }
    }

    package struct DescriptorRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        package let name: String
        /// As in ``JoinRequest``. Nil: no picture.
        package let image: String?

        package init(channelID: ChannelID?, name: String, image: String? = nil) {
            self.channelID = channelID
            self.name = name
            self.image = image
        }
    }

    package struct BeginRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        package let source: TransmitSource
        package let origin: Origin

        package init(channelID: ChannelID?, source: TransmitSource, origin: Origin) {
            self.channelID = channelID
            self.source = source
            self.origin = origin
        }
    }

    package struct BeginReply: Equatable, Codable, Sendable {
        package let transmissionID: TransmissionID

        package init(transmissionID: TransmissionID) {
            self.transmissionID = transmissionID
        }
    }

    package struct EndRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        /// The origin that was let go. Nil ends whatever transmission there is.
        package let origin: Origin?
        package let cause: EndCause?

        package init(channelID: ChannelID?, origin: Origin?, cause: EndCause?) {
            self.channelID = channelID
            self.origin = origin
            self.cause = cause
        }
    }

    package struct ImageRequest: Equatable, Codable, Sendable {
        package let imageID: String

        package init(imageID: String) {
            self.imageID = imageID
        }
    }

    package struct ImageReply: Equatable, Codable, Sendable {
        /// Base64.
        package let image: String

        package init(image: String) {
            self.image = image
        }
    }

    package struct StatusReply: Equatable, Codable, Sendable {
        package let status: Status

        package init(status: Status) {
            self.status = status
        }
    }

    /// One answer of `Subscribe`: the status in the first, an event in each that follows.
    package struct Update: Equatable, Codable, Sendable {
        /// Grows by one with each event of this run of the core.
        package let sequence: Int
        /// Microseconds of the monotonic clock.
        package let time: Int
        package let status: Status?
        package let event: CoreEvent?

        package init(sequence: Int, time: Int, status: Status?, event: CoreEvent?) {
            self.sequence = sequence
            self.time = time
            self.status = status
            self.event = event
        }
    }

    /// The error that carries a ``Refusal``.
    package static let refused = "org.pushtotalk.Channel.Refused"
    /// No channel or participant has the picture that was asked for.
    package static let imageNotFound = "org.pushtotalk.Channel.ImageNotFound"
    /// The last answer to a subscriber that did not read fast enough.
    package static let lagged = "org.pushtotalk.Channel.SubscriberLagged"
}
