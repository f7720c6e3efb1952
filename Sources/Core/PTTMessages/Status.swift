/// The whole state of the core as its clients see it. A subscriber gets it first and then keeps it true with
/// ``apply(_:)``.
public struct Status: Equatable, Codable, Sendable {
    public var channel: Channel?
    public var transmission: Transmission?
    public var audio: AudioState
    /// Whether an audio server is connected. Without one no transmission can begin.
    public var isAudioServerReady: Bool
    /// The longest transmission, in seconds.
    public var timeLimit: Int

    public init(
        channel: Channel? = nil,
        transmission: Transmission? = nil,
        audio: AudioState = .inactive,
        isAudioServerReady: Bool = false,
        timeLimit: Int
    ) {
        self.channel = channel
        self.transmission = transmission
        self.audio = audio
        self.isAudioServerReady = isAudioServerReady
        self.timeLimit = timeLimit
    }
}

/// The one channel of the machine.
public struct Channel: Equatable, Codable, Sendable {
    public let channelID: ChannelID
    public var name: String
    /// Nil when no application holds the channel: it was joined from the command line, or its application has gone.
    public var application: Application?

    public init(channelID: ChannelID, name: String, application: Application?) {
        self.channelID = channelID
        self.name = name
        self.application = application
    }
}

/// The program that joined the channel and receives its audio.
public struct Application: Equatable, Codable, Sendable {
    public let name: String
    /// For display only.
    public let processID: Int

    public init(name: String, processID: Int) {
        self.name = name
        self.processID = processID
    }
}

/// The transmission that is going on.
public struct Transmission: Equatable, Codable, Sendable {
    public let transmissionID: TransmissionID
    public let source: TransmitSource
    public let origin: Origin
    /// Microseconds of the monotonic clock.
    public let began: Int

    public init(transmissionID: TransmissionID, source: TransmitSource, origin: Origin, began: Int) {
        self.transmissionID = transmissionID
        self.source = source
        self.origin = origin
        self.began = began
    }
}

extension Status {
    /// Follows one event. Applied in order to the status that a subscription began with, the result equals what
    /// the core would answer at that moment.
    public mutating func apply(_ event: CoreEvent) {
        switch event {
        case .channelJoined(let joined): channel = joined
        case .descriptorChanged(let name): channel?.name = name
        case .applicationDetached: channel?.application = nil
        case .channelLeft: channel = nil
        case .transmissionBegan(let began): transmission = began
        case .transmissionEnded: transmission = nil
        case .audioActivating: audio = .activating
        case .audioActivated: audio = .active
        case .audioDeactivated: audio = .inactive
        case .audioServerReady: isAudioServerReady = true
        case .audioServerLost: isAudioServerReady = false
        case .transmissionRefused, .timeLimitNear, .unknown: break
        }
    }
}
