/// The one channel of the machine.
public struct Channel: Equatable, Codable, Sendable {
    public let channelID: ChannelID
    public var name: String
    public var image: ImageSummary?
    /// The application that the channel belongs to, running or not. Nil for one joined from the command line.
    public var owner: ApplicationID?
    /// Nil while no application is there to receive the channel's audio.
    public var application: Application?
    /// Whether the application was told to start and has not come yet.
    public var isApplicationStarting: Bool
    public var serviceStatus: ServiceStatus
    public var transmissionMode: TransmissionMode
    /// Whether buttons of accessories may begin transmissions.
    public var areAccessoryEventsEnabled: Bool
    /// Who talks at the other end.
    public var participant: Participant?

    public init(
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
public struct ApplicationID: RawRepresentable, Hashable, Codable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static func == (left: ApplicationID, right: ApplicationID) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

/// A running program that holds the channel and receives its audio.
public struct Application: Equatable, Codable, Sendable {
    public let name: String
    /// For display only.
    public let processID: Int

    public init(name: String, processID: Int) {
        self.name = name
        self.processID = processID
    }
}

/// How an application is started when it is wanted and does not run.
public struct Activation: Hashable, Codable, Sendable {
    public enum Kind: String, WireEnum {
        case unknown
        /// `name` is a unit of the user's service manager, `radio.service`.
        case systemdUnit
        /// `name` is a well-known name on the session bus that a `.service` file activates, `org.example.Radio`.
        case busName
    }

    public let kind: Kind
    public let name: String

    public init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// Somebody who talks at the other end, as everybody sees them.
public struct Participant: Equatable, Codable, Sendable {
    public let name: String
    public let image: ImageSummary?

    public init(name: String, image: ImageSummary? = nil) {
        self.name = name
        self.image = image
    }
}
