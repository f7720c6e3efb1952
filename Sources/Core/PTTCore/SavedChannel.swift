public import PTTMessages

/// What must survive a crash of the core or a reboot, so that the application gets its channel back.
public struct SavedChannel: Equatable, Codable, Sendable {
    public let channelID: ChannelID
    /// Nil for a channel that was joined from the command line.
    public let owner: Owner?
    public let pushToken: PushToken
    public let transmissionMode: TransmissionMode
    public let areAccessoryEventsEnabled: Bool

    public init(
        channelID: ChannelID,
        owner: Owner?,
        pushToken: PushToken,
        transmissionMode: TransmissionMode,
        areAccessoryEventsEnabled: Bool
    ) {
        self.channelID = channelID
        self.owner = owner
        self.pushToken = pushToken
        self.transmissionMode = transmissionMode
        self.areAccessoryEventsEnabled = areAccessoryEventsEnabled
    }
}

/// The application that a channel belongs to, whether it runs or not.
public struct Owner: Hashable, Codable, Sendable {
    public let identifier: ApplicationID
    public let name: String
    /// Nil if only a person can start it.
    public let activation: Activation?

    public init(identifier: ApplicationID, name: String, activation: Activation?) {
        self.identifier = identifier
        self.name = name
        self.activation = activation
    }
}

/// What people see of a channel: `PTChannelDescriptor` of Apple's framework.
public struct Descriptor: Equatable, Sendable {
    public let name: String
    public let image: Image?

    public init(name: String, image: Image?) {
        self.name = name
        self.image = image
    }
}
