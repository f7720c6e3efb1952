import PTTMessages

/// The channel, while it is joined.
struct JoinedChannel: Equatable, Sendable {
    /// For how long after a press that the application handles itself it may begin one transmission from the background.
    static let grace = Duration.seconds(3)

    let channelID: ChannelID
    let pushToken: PushToken
    var descriptor: Descriptor
    /// Whether the descriptor stands in for one that was lost.
    var isDescriptorLost = false
    var presence: ApplicationPresence
    var transmissionMode = TransmissionMode.halfDuplex
    var areAccessoryEventsEnabled = true
    var lease: Lease?
    var audio = AudioSession()
    var budget = PushBudget()

    init(
        _ channelID: ChannelID,
        pushToken: PushToken,
        descriptor: Descriptor,
        presence: ApplicationPresence
    ) {
        self.channelID = channelID
        self.pushToken = pushToken
        self.descriptor = descriptor
        self.presence = presence
    }

    /// The channel of last resort. Its identifiers are never shown, nor valid for a request or a push.
    static let lastResort = JoinedChannel(
        ChannelID(randomBytes: (0, 0)),
        pushToken: PushToken(rawValue: ""),
        descriptor: Descriptor(name: "Push-to-Talk Microphone", image: nil),
        presence: .unowned
    )

    /// The application that the channel belongs to, whether it is running or not.
    var owner: Owner? {
        switch presence {
        case .unowned: nil
        case .absent(let absent): absent.owner
        case .starting(let starting): starting.owner
        case .running(let running): running.owner
        }
    }

    var running: RunningApplication? {
        switch presence {
        case .running(let running): running
        case .unowned, .absent, .starting: nil
        }
    }

    var starting: StartingApplication? {
        switch presence {
        case .starting(let starting): starting
        case .unowned, .running, .absent: nil
        }
    }

    /// The client that receives the channel's audio.
    var receiver: ClientID? { running?.client }

    var application: Application? { running?.application }

    var format: AudioFormat { running?.format ?? .standard }

    var reception: Reception? { running?.reception }

    var participant: RemoteParticipant? { reception?.participant }

    /// Changes what exists only while the application is running.
    mutating func updateRunning(_ body: (inout RunningApplication) -> Void) {
        guard case .running(var running) = presence else { return }
        body(&running)
        presence = .running(running)
    }

    /// The application to which the policy applies for this channel.
    var policyID: ApplicationID { owner?.identifier ?? Policy.commandLine }

    var description: Channel {
        Channel(
            channelID: channelID,
            name: descriptor.name,
            image: descriptor.image?.summary,
            owner: owner?.identifier,
            application: application,
            isApplicationStarting: starting != nil,
            serviceStatus: running?.serviceStatus ?? .ready,
            transmissionMode: transmissionMode,
            areAccessoryEventsEnabled: areAccessoryEventsEnabled,
            participant: participant?.description
        )
    }

    var saved: SavedChannel {
        SavedChannel(
            channelID: channelID,
            owner: owner,
            pushToken: pushToken,
            transmissionMode: transmissionMode,
            areAccessoryEventsEnabled: areAccessoryEventsEnabled
        )
    }

    /// When the next step is due.
    var deadline: MonotonicTime? {
        // Needed after each event, and so found without a list of them.
        var earliest = lease?.deadline
        func include(_ time: MonotonicTime) { earliest = earliest.map { min($0, time) } ?? time }
        if let limit = audio.gateLimit { include(limit) }
        switch presence {
        case .starting(let starting): include(starting.due)
        case .running(let running): for push in running.pushes { include(push.deadline) }
        case .unowned, .absent: break
        }
        return earliest
    }

    /// Whether the participant is played now. During an emergency in half duplex it is not, as a half-duplex radio does
    /// not receive while it transmits: the microphone would send what the speaker plays. It is played again after the
    /// emergency, unless the application clears it.
    var isPlaying: Bool {
        switch reception {
        case .opening, .playing: !isMuted
        case .interrupted, .unheard, nil: false
        }
    }

    private var isMuted: Bool { lease != nil && transmissionMode == .halfDuplex }

    /// Refuses a participant whose speaker has not opened and, because of an emergency, will not.
    mutating func refuseUnheard(effects: inout EffectCollector) {
        guard let lease, isMuted, case .opening = reception else { return }
        clearParticipant(.talkedOver(lease.transmission), effects: &effects)
    }

    /// Publishes an event of the transmission, and keeps it for an application that is being started.
    mutating func announce(_ event: CoreEvent, effects: inout EffectCollector) {
        effects.publish(event)
        guard case .starting(var starting) = presence else { return }
        starting.miss(event)
        presence = .starting(starting)
    }

    /// Ends the transmission, if there is one; the audio session is updated after the transition. What was released ended by
    /// that, whatever comes before the release has lagged.
    mutating func endTransmission(
        _ cause: EndCause,
        by source: TransmitSource,
        effects: inout EffectCollector
    ) {
        guard let lease else { return }
        self.lease = nil
        if let tone = cause.tone(wasLive: audio.isLive(lease.captureID)) { effects.play(tone) }
        let (cause, source) = lease.released.map { (.released, $0.source) } ?? (cause, source)
        announce(.transmissionEnded(lease.transmission, cause, by: source), effects: &effects)
    }

    /// Ends the reception, if there is one. Requests that wait for the speaker are refused.
    mutating func clearParticipant(_ refusal: Refusal, effects: inout EffectCollector) {
        guard let reception else { return }
        for request in reception.awaitedBy { effects.reply(to: request, .refused(refusal)) }
        updateRunning { $0.reception = nil }
        audio.clearInterruption()
        effects.publish(.participantChanged(nil))
    }
}
