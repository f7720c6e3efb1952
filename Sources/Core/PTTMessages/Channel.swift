/// The one channel of the machine.
package struct Channel: Equatable, Codable, Sendable {
    package let channelID: ChannelID
    package var name: String
    package var image: ImageSummary?
    /// The application that the channel belongs to, running or not. Nil for one joined from the command line.
    package var owner: ApplicationID?
    /// Nil while no application is there to receive the channel's audio.
    package var application: Application?
    /// Whether the application was told to start and has not come yet.
    package var isApplicationStarting: Bool
    package var serviceStatus: ServiceStatus
    package var transmissionMode: TransmissionMode
    /// Whether buttons of accessories may begin transmissions.
    package var areAccessoryEventsEnabled: Bool
    /// Who talks at the other end.
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

/// Names an application over its runs, `org.example.Radio` for example. Policy rules and restoration go by it.
package struct ApplicationID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static func == (left: ApplicationID, right: ApplicationID) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    package func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

/// A running program that holds the channel and receives its audio.
package struct Application: Equatable, Codable, Sendable {
    package let name: String
    /// For display only.
    package let processID: Int

    package init(name: String, processID: Int) {
        self.name = name
        self.processID = processID
    }
}

/// How an application is started when it is wanted and does not run.
package struct Activation: Hashable, Codable, Sendable {
    package enum Kind: String, WireEnum {
        case unknown
        /// `name` is a unit of the user's service manager, `radio.service`.
        case systemdUnit
        /// `name` is a well-known name on the session bus that a `.service` file activates, `org.example.Radio`.
        case busName
    }

    package let kind: Kind
    package let name: String

    package init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// Somebody who talks at the other end, as everybody sees them.
package struct Participant: Equatable, Codable, Sendable {
    package let name: String
    package let image: ImageSummary?

    package init(name: String, image: ImageSummary? = nil) {
        self.name = name
        self.image = image
    }
}
