// The parameters and replies of the methods of `org.pushtotalk.Channel`.

extension ChannelInterface {
    package struct JoinRequest: Equatable, Codable, Sendable {
        /// Nil: the core generates one.
        package let channelID: ChannelID?
        package let name: String
        /// Nil: the channel has no application, and stays when the connection closes.
        package let application: String?
        package let format: AudioFormat?
        /// Base64 of a PNG, JPEG, GIF or WebP file. Any other is ignored, with a line in the journal.
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
        /// The application sends it first on the audio socket; valid for one connection. Nil without an
        /// application.
        package let token: String?
        package let format: AudioFormat
        /// For pushes to the application, while the channel is joined. Nil for a caller that is not the
        /// application.
        package let pushToken: PushToken?

        package init(channelID: ChannelID, token: String?, format: AudioFormat, pushToken: PushToken? = nil) {
            self.channelID = channelID
            self.token = token
            self.format = format
            self.pushToken = pushToken
        }
    }

    package struct LeaveRequest: Equatable, Codable, Sendable {
        /// Nil: the joined channel.
        package let channelID: ChannelID?

        package init(channelID: ChannelID?) {
            self.channelID = channelID
        }
    }

    package struct DescriptorRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        package let name: String
        /// As in ``JoinRequest``. Nil: no image.
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
        /// The button that was pressed.
        package let role: ButtonRole
        /// Of a recording, which the caller receives, in this format; nil: the channel, or the Push-to-Talk
        /// Microphone, hears it.
        package let recording: AudioFormat?

        package init(
            channelID: ChannelID?,
            source: TransmitSource,
            origin: Origin,
            role: ButtonRole = .talk,
            recording: AudioFormat? = nil
        ) {
            self.channelID = channelID
            self.source = source
            self.origin = origin
            self.role = role
            self.recording = recording
        }
    }

    package struct BeginReply: Equatable, Codable, Sendable {
        package let transmissionID: TransmissionID
        /// Of a recording: for the audio socket, for one connection, until the recording ends.
        package let token: String?

        package init(transmissionID: TransmissionID, token: String? = nil) {
            self.transmissionID = transmissionID
            self.token = token
        }
    }

    package struct EndRequest: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        /// The origin that was released. Nil ends any transmission.
        package let origin: Origin?
        package let cause: EndCause?
        /// The only button of the origin that was released. Nil: all of them were.
        package let role: ButtonRole?

        package init(channelID: ChannelID?, origin: Origin?, cause: EndCause?, role: ButtonRole? = nil) {
            self.channelID = channelID
            self.origin = origin
            self.cause = cause
            self.role = role
        }
    }

    /// A tap that keeps the transmission of its button on.
    package struct LatchReport: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        package let origin: Origin
        package let role: ButtonRole

        package init(channelID: ChannelID?, origin: Origin, role: ButtonRole) {
            self.channelID = channelID
            self.origin = origin
            self.role = role
        }
    }

    /// A press or a release of a button that does not transmit.
    package struct ButtonReport: Equatable, Codable, Sendable {
        package let channelID: ChannelID?
        package let origin: Origin
        package let role: ButtonRole
        package let isPressed: Bool

        package init(channelID: ChannelID?, origin: Origin, role: ButtonRole, isPressed: Bool) {
            self.channelID = channelID
            self.origin = origin
            self.role = role
            self.isPressed = isPressed
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
        /// The unheard devices of a Push-to-Talk Microphone that is there; nil if a press is heard, and from
        /// earlier cores.
        package let unheardDevices: [UnheardDevice]?

        package init(status: Status, unheardDevices: [UnheardDevice] = []) {
            self.status = status
            self.unheardDevices = unheardDevices.isEmpty ? nil : unheardDevices
        }
    }

    package struct SubscribeRequest: Equatable, Codable, Sendable {
        /// The kinds of events to receive, named as in ``CoreEvent/kind``; nil for all.
        package let kinds: [String]?

        package init(kinds: [String]? = nil) {
            self.kinds = kinds
        }
    }

    /// One reply to `Subscribe`: the first has the status, each later one has an event.
    package struct Update: Equatable, Codable, Sendable {
        /// Grows by one with each event of this run of the core.
        package let sequence: Int
        /// Microseconds of the monotonic clock.
        package let time: Int
        package let status: Status?
        private let tagged: Tagged<CoreEvent>?
        package var event: CoreEvent? { tagged?.value }

        package init(sequence: Int, time: Int, status: Status?, event: CoreEvent?) {
            self.sequence = sequence
            self.time = time
            self.status = status
            tagged = event.map(Tagged.init)
        }

        private enum CodingKeys: String, CodingKey {
            case sequence, time, status
            case tagged = "event"
        }
    }

    package struct VolumeRequest: Equatable, Codable, Sendable {
        /// In percent of what is heard: 0 to 150.
        package let volume: Int

        package init(volume: Int) {
            self.volume = volume
        }
    }

    /// One reply to `SubscribeLevels`, in dB of full scale; nil where nothing has passed since the one
    /// before.
    package struct LevelReport: Equatable, Codable, Sendable {
        /// The level of digital silence, and of anything that is no louder.
        package static let floor = -96

        package let microphone: Double?
        package let speaker: Double?

        package init(microphone: Double?, speaker: Double?) {
            self.microphone = microphone
            self.speaker = speaker
        }
    }

    package struct BatteryReport: Equatable, Codable, Sendable {
        package let origin: Origin
        package let percent: Int

        package init(origin: Origin, percent: Int) {
            self.origin = origin
            self.percent = percent
        }
    }
}
