/// The one channel of the machine.
package struct Channel: Equatable, Codable, Sendable {
    package let channelID: ChannelID
    package var name: String
    package var image: ImageSummary?
    /// The application that the channel belongs to, running or not. Nil for a channel joined from the command
    /// line.
    package var owner: ApplicationID?
    /// Nil while no application receives the channel's audio.
    package var application: Application?
    /// True if the application is being started and has not attached yet.
    package var isApplicationStarting: Bool
    package var serviceStatus: ServiceStatus
    package var transmissionMode: TransmissionMode
    /// True if buttons of accessories may begin transmissions.
    package var areAccessoryEventsEnabled: Bool
    /// The participant who talks at the other end.
    package var participant: Participant?

    package init(
        channelID: ChannelID,
        name: String,
        image: ImageSummary? = nil,
        owner: ApplicationID? = nil,
        application: Application? = nil,
        isApplicationStarting: Bool = false,
        serviceStatus: ServiceStatus = .ready,
        transmissionMode: TransmissionMode = .halfDuplex,
        areAccessoryEventsEnabled: Bool = true,
        participant: Participant? = nil
    ) {
        self.channelID = channelID
        self.name = name
        self.image = image
        self.owner = owner
        self.application = application
        self.isApplicationStarting = isApplicationStarting
        self.serviceStatus = serviceStatus
        self.transmissionMode = transmissionMode
        self.areAccessoryEventsEnabled = areAccessoryEventsEnabled
        self.participant = participant
    }
}

/// Why a channel became joined: `PTChannelJoinReason` of Apple's framework.
package enum JoinReason: String, WireEnum {
    case unknown
    case developerRequest
    /// The channel stayed joined while its application, or the core, did not run; the application is back.
    case channelRestoration
}

/// Why a channel was left: `PTChannelLeaveReason` of Apple's framework.
package enum LeaveReason: String, WireEnum {
    case unknown
    /// A person, through the system's own interface: `pttctl`.
    case userRequest
    case developerRequest
    /// A rule of the policy file that did not apply when the channel was joined.
    case systemPolicy
}

/// The application's connection to its servers, as it reports it: `PTServiceStatus` of Apple's framework.
package enum ServiceStatus: String, WireEnum {
    case unknown
    case ready
    case connecting
    case unavailable
}

/// The rule for which side may talk when: `PTTransmissionMode` of Apple's framework.
package enum TransmissionMode: String, WireEnum {
    case unknown
    case fullDuplex
    /// One side at a time.
    case halfDuplex
    case listenOnly
}

/// A speaker at the other end, as all clients see it.
package struct Participant: Equatable, Codable, Sendable {
    package let name: String
    package let image: ImageSummary?

    package init(name: String, image: ImageSummary? = nil) {
        self.name = name
        self.image = image
    }
}
