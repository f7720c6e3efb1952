/// The server and its devices at one moment.
public struct AudioDevices: Sendable, Equatable {
    /// The server's own name and version, for people.
    public var serverName = ""
    /// The source that a stream without a wish captures from.
    public var defaultSource: String?
    /// The sink that a stream without a wish plays to.
    public var defaultSink: String?
    public var sources: [AudioDevice] = []
    public var sinks: [AudioDevice] = []

    /// Lists longer than this are cut, whatever the server sends.
    static let limit = 1000
}

/// A microphone, a speaker, or software that acts as one.
public struct AudioDevice: Sendable, Equatable {
    /// The name that the server knows it by, for requests.
    public let name: String
    /// The name for people.
    public let description: String
    /// Muted in the server. Nothing here ever changes that: it is the user's own decision.
    public let isMuted: Bool
    /// A source that repeats what a sink plays; not a microphone.
    public let isMonitor: Bool
    /// Asleep until something uses it, or taken away for now.
    public let isSuspended: Bool
}
