import PTTMessages

/// Whether the program that receives the channel's audio is there, with all that exists only while it is.
enum Presence: Equatable, Sendable {
    /// The channel was joined without an application, and transmits without one.
    case unowned
    case absent(Absence)
    case starting(Start)
    case running(Running)
}

/// The application of the channel is not there. No attachment of it is.
struct Absence: Equatable, Sendable {
    /// How long a process whose connection has closed is left to come back by itself.
    static let returnTime = Duration.seconds(1)

    let owner: Owner
    /// Until when it may come back by itself; a second instance started before that would race it.
    let returnEnd: MonotonicTime
}

/// The wait for an application that was told to start, or is about to be.
struct Start: Equatable, Sendable {
    static let limit = Duration.seconds(10)
    /// Many more than presses fit into the limit; the oldest are dropped beyond it.
    static let heldLimit = 32

    let startID: StartID
    let owner: Owner
    let activation: Activation
    /// When to order it, while a process may still come back by itself; nil once that is done.
    var launch: MonotonicTime?
    let deadline: MonotonicTime
    /// What the application would have been told.
    private(set) var held: [CoreEvent] = []
    /// Those that wait for it.
    var pushes: [Push] = []

    init(
        _ startID: StartID,
        _ owner: Owner,
        _ activation: Activation,
        _ launch: MonotonicTime,
        at now: MonotonicTime
    ) {
        self.startID = startID
        self.owner = owner
        self.activation = activation
        self.launch = launch
        deadline = now + Self.limit
    }

    mutating func hold(_ event: CoreEvent) {
        held.append(event)
        held.removeFirst(max(0, held.count - Self.heldLimit))
    }

    var due: MonotonicTime { min(launch ?? deadline, deadline) }
}

/// The application is there.
struct Running: Equatable, Sendable {
    let client: ClientID
    let application: Application
    let format: AudioFormat
    /// Nil for one that only listens in to a channel that is nobody's.
    let owner: Owner?
    var serviceStatus = ServiceStatus.ready
    /// Until when the application may begin once without being in the foreground.
    var graceEnd: MonotonicTime?
    /// Buttons that the application was told of as pressed.
    var pressed: [PressedAccessory] = []
    /// Those that it was told of and has not answered. One that is not attached is told of none.
    var pushes: [WaitingPush] = []
    var hearing: Hearing?
}

/// Somebody talks at the other end.
enum Hearing: Equatable, Sendable {
    /// How many requests may wait. An application asks again when it knows more of who talks.
    static let requestLimit = 16

    /// The speaker is being opened for the first time, and requests wait for how that ends.
    case opening(RemoteSpeaker, awaitedBy: [RequestID])
    /// Also while the speaker is being opened again, and while another talks.
    case playing(RemoteSpeaker)
    case interrupted(RemoteSpeaker, Interruption)

    var speaker: RemoteSpeaker {
        switch self {
        case .opening(let speaker, awaitedBy: _), .playing(let speaker), .interrupted(let speaker, _): speaker
        }
    }

    var interruption: Interruption? {
        switch self {
        case .opening, .playing: nil
        case .interrupted(_, let interruption): interruption
        }
    }

    var awaitedBy: [RequestID] {
        switch self {
        case .opening(_, let requests): requests
        case .playing, .interrupted: []
        }
    }
}

struct RemoteSpeaker: Equatable, Sendable {
    let name: String
    let image: Image?

    var description: Participant { Participant(name: name, image: image?.summary) }
}
