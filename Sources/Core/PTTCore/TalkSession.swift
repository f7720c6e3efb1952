package import PTTMessages

/// What the core knows and what it decides next: one channel, at most one transmission, the audio session.
///
/// It is a value: events and the time come in, orders go out, and nothing else happens. A late event about something
/// that is over (a timer, a closed stream, a connection without a lease) leads to nothing.
package struct TalkSession: Equatable, Sendable {
    /// 20 minutes is the longest that land mobile radios can be set to.
    package static let timeLimits = Duration.seconds(1)...Duration.seconds(20 * 60)

    enum State: Equatable, Sendable {
        case notJoined
        case joined(JoinedChannel)
    }

    enum Machine: Equatable, Sendable {
        case awake
        case suspending
        case shuttingDown
    }

    /// What a locked screen means for who wants to transmit.
    package enum WhileLocked: String, Codable, Sendable {
        /// A button or a person may transmit: nobody needs to see a screen for it.
        case allow
        /// Locking ends a transmission, and none begins behind a locked screen.
        case refuse
    }

    /// The longest transmission.
    package let timeLimit: Duration
    package let whileLocked: WhileLocked
    var state = State.notJoined
    var machine = Machine.awake
    var isLocked = false
    var isSessionActive = true
    var isAudioServerReady = false
    var policy = Policy()
    var attachments = Attachments()
    /// The applications that the core told to start and that have not attached since: nobody has seen them, however
    /// late they come, and whatever became of the channel meanwhile. Many more than a person has applications for this.
    var awaited = Newest<ApplicationID>(limit: 16)
    /// The applications whose audio socket has closed and is not connected again.
    var lostAudio: Set<ClientID> = []
    var freshPress = FreshPress()
    var leftChannels = LeftChannels()
    /// That of the last channel that was left.
    var endedToken: PushToken?
    var transmissionCount = 0
    var playbackCount = 0
    var startCount = 0
    var pushCount = 0
    /// What the shell's timer is set to.
    var timer: MonotonicTime?
    /// What is on disk.
    var saved: SavedChannel?
    var savedDescriptor: Descriptor?
    /// Why the disk does not have what it should.
    var saveFailure: String?

    /// - Parameters:
    ///   - timeLimit: The longest transmission; brought into ``timeLimits``.
    ///   - whileLocked: What a locked screen means.
    /// Of a transmission.
    package static let defaultTimeLimit = Duration.seconds(60)

    package init(timeLimit: Duration = defaultTimeLimit, whileLocked: WhileLocked = .allow) {
        self.whileLocked = whileLocked
        self.timeLimit = min(max(timeLimit, Self.timeLimits.lowerBound), Self.timeLimits.upperBound)
    }

    package var status: Status {
        Status(
            channel: channel?.description,
            transmission: channel?.lease?.transmission,
            audio: channel?.audio.state ?? .inactive,
            isAudioServerReady: isAudioServerReady,
            timeLimit: Int(timeLimit.components.seconds),
            saveFailure: saveFailure
        )
    }

    /// The clients whose word or end closes the microphone: who holds the transmission, and the channel's application.
    /// None while nobody transmits.
    package var transmissionClients: [ClientID] {
        guard let channel, let lease = channel.lease else { return [] }
        return [lease.holder] + [channel.receiver].compactMap(\.self)
    }

    /// The picture of the channel or of its participant.
    package func image(_ imageID: String) -> Image? {
        [channel?.descriptor.image, channel?.participant?.image].compactMap(\.self)
            .first { $0.summary.imageID == imageID }
    }

    /// Decides what follows from an event.
    ///
    /// - Parameters:
    ///   - event: What has happened.
    ///   - now: When it happened; never earlier than that of the event before.
    /// - Returns: What to do, in this order.
    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        var turn = Turn(at: now)
        take(event, &turn)
        followAudio(&turn)
        followTimer(&turn)
        followDisk(&turn)
        return turn.effects
    }

    private mutating func take(_ event: Event, _ turn: inout Turn) {
        switch event {
        case .request(let requestID, let client, let request):
            if let answer = answer(request, requestID, from: client, &turn) { turn.answer(requestID, answer) }
        case .pushSent(let requestID, let envelope): turn.answer(requestID, push(envelope, &turn))
        case .clientDisconnected(let client): clientDisconnected(client, &turn)
        case .restored(let channel, let descriptor): restored(channel, descriptor, &turn)
        case .applicationStartFailed(let startID, let reason): startFailed(startID, reason, &turn)
        case .timerFired: timerFired(&turn)
        case .captureStarted(let captureID): captureStarted(captureID, &turn)
        case .captureFailed(let captureID, let cause): captureFailed(captureID, cause, &turn)
        case .playbackStarted(let playbackID): playbackStarted(playbackID, &turn)
        case .playbackFailed(let playbackID, let interruption, let reason):
            playbackFailed(playbackID, interruption, reason, &turn)
        case .audioConnectionReady(let client): audioConnectionReady(client)
        case .audioConnectionLost(let client): audioConnectionLost(client, &turn)
        case .routeChanged(let input, let output): turn.publish(.routeChanged(input: input, output: output))
        case .audioServerReady: audioServerReady(&turn)
        case .audioServerLost: audioServerLost(&turn)
        case .policyChanged(let policy): policyChanged(policy, &turn)
        case .systemSuspending: systemSuspending(&turn)
        case .systemResumed: systemResumed()
        case .sessionLocked: sessionLocked(&turn)
        case .sessionUnlocked: isLocked = false
        case .sessionInactive: sessionInactive(&turn)
        case .sessionActive: isSessionActive = true
        case .stateSaved: stateSaved(&turn)
        case .stateNotSaved(let reason): stateNotSaved(reason, &turn)
        case .shuttingDown: shuttingDown(&turn)
        }
    }

    var channel: JoinedChannel? {
        switch state {
        case .notJoined: nil
        case .joined(let channel): channel
        }
    }

    /// Changes the channel, if there is one.
    mutating func change(_ body: (inout JoinedChannel) -> Void) {
        guard case .joined(var channel) = state else { return }
        // So that the channel has one owner while it changes.
        state = .notJoined
        body(&channel)
        state = .joined(channel)
    }

    mutating func endTransmission(_ cause: EndCause, _ turn: inout Turn) {
        change { $0.endTransmission(cause, by: .unknown, &turn) }
    }

    private mutating func followTimer(_ turn: inout Turn) {
        let deadline = channel?.deadline
        guard deadline != timer else { return }
        timer = deadline
        turn.timer = deadline.map { .setTimer($0) } ?? .cancelTimer
    }

    private mutating func followDisk(_ turn: inout Turn) {
        let descriptor = channel.flatMap { $0.isDescriptorLost ? nil : $0.descriptor }
        if descriptor != savedDescriptor {
            savedDescriptor = descriptor
            turn.saves.append(.saveDescriptor(descriptor))
        }
        if channel?.saved != saved {
            saved = channel?.saved
            turn.saves.append(.saveChannel(saved))
        }
    }
}
