import PTTMessages

/// The state of the application that receives the channel's audio: whether it is running, with all that
/// exists only while it is.
enum ApplicationPresence: Equatable, Sendable {
    /// The channel was joined without an application, and transmits without one.
    case unowned
    case absent(AbsentApplication)
    case starting(StartingApplication)
    case running(RunningApplication)
}

/// The channel's application is not running: it has no attachment.
struct AbsentApplication: Equatable, Sendable {
    /// The time in which a process whose connection has closed may reconnect.
    static let reconnectionTime = Duration.seconds(1)

    let owner: Owner
    /// The time until which its process may reconnect; a second instance that is started before that would
    /// race it.
    let reconnectionDeadline: MonotonicTime
}

/// The channel's application was started, or is about to be, and has not attached yet.
struct StartingApplication: Equatable, Sendable {
    static let limit = Duration.seconds(10)
    /// Far more than the presses that fit into the limit; beyond it the oldest events are dropped.
    static let missedLimit = 32

    let startID: StartID
    let owner: Owner
    let activation: Activation
    /// The time at which to order the start, while a process may still reconnect; nil once it is ordered.
    var launchTime: MonotonicTime?
    let deadline: MonotonicTime
    /// The events of a transmission that it would have received.
    private(set) var missed: [CoreEvent] = []
    /// The pushes to deliver once it attaches.
    var pushes: [Push] = []

    mutating func miss(_ event: CoreEvent) {
        missed.append(event)
        missed.removeFirst(max(0, missed.count - Self.missedLimit))
    }

    /// The time at which the next step is due.
    var due: MonotonicTime { min(launchTime ?? deadline, deadline) }
}

/// The channel's application is running.
struct RunningApplication: Equatable, Sendable {
    let client: ClientID
    let application: Application
    let format: AudioFormat
    /// Nil for an application that only receives the audio of a channel without an owner.
    let owner: Owner?
    var serviceStatus = ServiceStatus.ready
    /// The time until which the application may begin one transmission from the background.
    var graceEnd: MonotonicTime?
    /// The accessories that it was notified of as pressed.
    var pressed: [PressedAccessory] = []
    /// The pushes that it has received and not answered. An application that is not attached receives none.
    var pushes: [WaitingPush] = []
    var reception: Reception?

    /// - Parameters:
    ///   - process: Its description of itself when it attached or joined.
    ///   - client: Its connection.
    ///   - owner: Nil if the channel stays without an owner.
    init(_ process: ApplicationProcess, client: ClientID, owner: Owner?) {
        self.client = client
        self.owner = owner
        application = process.application
        format = process.format
    }
}
