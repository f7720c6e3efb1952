public import PTTMessages

/// What the core knows and what it decides next: one channel, at most one transmission, the audio session.
///
/// It is a value: events and the time come in, orders go out, and nothing else happens. A late event about something
/// that is over (a timer, a closed capture stream, a connection without a lease) leads to nothing.
public struct TalkSession: Equatable, Sendable {
    /// 20 minutes is the longest that land mobile radios can be set to.
    public static let timeLimits = Duration.seconds(1)...Duration.seconds(20 * 60)

    enum State: Equatable, Sendable {
        case notJoined
        case joined(JoinedChannel)
    }

    enum Machine: Equatable, Sendable {
        case awake
        case suspending
        case shuttingDown
    }

    /// The longest transmission.
    public let timeLimit: Duration
    var state = State.notJoined
    var machine = Machine.awake
    var isAudioServerReady = false
    var freshPress = FreshPress()
    var transmissionCount = 0
    /// What the shell's timer is set to.
    var timer: MonotonicTime?

    /// - Parameter timeLimit: The longest transmission; brought into ``timeLimits``.
    public init(timeLimit: Duration = .seconds(60)) {
        self.timeLimit = min(max(timeLimit, Self.timeLimits.lowerBound), Self.timeLimits.upperBound)
    }

    public var status: Status {
        Status(
            channel: channel?.description,
            transmission: channel?.lease?.transmission,
            audio: channel?.audio.state ?? .inactive,
            isAudioServerReady: isAudioServerReady,
            timeLimit: Int(timeLimit.components.seconds)
        )
    }

    /// Decides what follows from an event.
    ///
    /// - Parameters:
    ///   - event: What has happened.
    ///   - now: When it happened; never earlier than that of the event before.
    /// - Returns: What to do, in this order.
    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        var turn = Turn()
        switch event {
        case .joinRequested(let id, let client, let processID, let request, let fresh):
            turn.reply = .reply(id, join(client, processID, request, fresh, &turn))
        case .leaveRequested(let id, _, let channelID):
            turn.reply = .reply(id, leave(channelID, &turn))
        case .descriptorRequested(let id, _, let request):
            turn.reply = .reply(id, rename(request, &turn))
        case .beginRequested(let id, let client, let request):
            turn.reply = .reply(id, begin(client, request, at: now, &turn))
        case .endRequested(let id, let client, let request):
            turn.reply = .reply(id, end(client, request, &turn))
        case .clientDisconnected(let client): clientDisconnected(client, &turn)
        case .timerFired: timerFired(at: now, &turn)
        case .captureStarted(let captureID): captureStarted(captureID, &turn)
        case .captureFailed(let captureID, let cause): captureFailed(captureID, cause, &turn)
        case .audioServerReady: audioServerReady(&turn)
        case .audioServerLost: audioServerLost(&turn)
        case .systemSuspending: systemSuspending(&turn)
        case .systemResumed: systemResumed()
        case .sessionLocked: endTransmission(.sessionLocked, &turn)
        case .shuttingDown: shuttingDown(&turn)
        }
        followTimer(&turn)
        return turn.effects
    }

    var channel: JoinedChannel? {
        switch state {
        case .notJoined: nil
        case .joined(let channel): channel
        }
    }

    private mutating func followTimer(_ turn: inout Turn) {
        let deadline = channel?.lease?.deadline
        guard deadline != timer else { return }
        timer = deadline
        turn.timer = deadline.map { .setTimer($0) } ?? .cancelTimer
    }
}
