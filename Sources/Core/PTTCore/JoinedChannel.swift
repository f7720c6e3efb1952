import PTTMessages

/// The channel, while it is joined.
struct JoinedChannel: Equatable, Sendable {
    /// How long after a press that it must handle itself an application may begin once from the background.
    static let grace = Duration.seconds(3)

    let channelID: ChannelID
    let pushToken: PushToken
    var descriptor: Descriptor
    /// Whether the descriptor stands in for one that was lost.
    var isDescriptorLost = false
    var presence: Presence
    var transmissionMode = TransmissionMode.halfDuplex
    var areAccessoryEventsEnabled = true
    var lease: Lease?
    var audio = AudioSession()
    var budget = PushBudget()

    init(_ channelID: ChannelID, _ pushToken: PushToken, _ descriptor: Descriptor, _ presence: Presence) {
        self.channelID = channelID
        self.pushToken = pushToken
        self.descriptor = descriptor
        self.presence = presence
    }

    /// The application that the channel belongs to, whether it runs or not.
    var owner: Owner? {
        switch presence {
        case .unowned: nil
        case .absent(let absence): absence.owner
        case .starting(let start): start.owner
        case .running(let running): running.owner
        }
    }

    var running: Running? {
        switch presence {
        case .running(let running): running
        case .unowned, .absent, .starting: nil
        }
    }

    var start: Start? {
        switch presence {
        case .starting(let start): start
        case .unowned, .running, .absent: nil
        }
    }

    /// The application that is there.
    var receiver: ClientID? { running?.client }

    var application: Application? { running?.application }

    var format: AudioFormat { running?.format ?? .standard }

    var hearing: Hearing? { running?.hearing }

    var participant: RemoteSpeaker? { hearing?.speaker }

    /// Changes what exists only while the application is there.
    mutating func run(_ body: (inout Running) -> Void) {
        guard case .running(var running) = presence else { return }
        body(&running)
        presence = .running(running)
    }

    /// Who must follow the rules of the policy for this channel.
    var policyID: ApplicationID { owner?.identifier ?? Policy.commandLine }

    var description: Channel {
        Channel(
            channelID: channelID,
            name: descriptor.name,
            image: descriptor.image?.summary,
            owner: owner?.identifier,
            application: application,
            isApplicationStarting: start != nil,
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

    /// What is due next.
    var deadline: MonotonicTime? {
        ([lease?.deadline, start?.due] + (running?.pushes ?? []).map(\.deadline)).compactMap(\.self).min()
    }

    /// Tells of the transmission, and keeps it for an application that is about to come.
    mutating func announce(_ event: CoreEvent, _ turn: inout Turn) {
        turn.publish(event)
        guard case .starting(var start) = presence else { return }
        start.hold(event)
        presence = .starting(start)
    }

    /// Ends the transmission, if there is one; the audio session follows at the end of the turn.
    mutating func endTransmission(_ cause: EndCause, by source: TransmitSource, _ turn: inout Turn) {
        guard let lease else { return }
        self.lease = nil
        announce(.transmissionEnded(lease.transmission, cause, by: source), &turn)
    }

    /// Nobody talks any more, or somebody could not be heard: requests that wait for that are refused.
    mutating func clearParticipant(_ refusal: Refusal, _ turn: inout Turn) {
        guard let hearing else { return }
        for request in hearing.awaitedBy { turn.answer(request, .refused(refusal)) }
        run { $0.hearing = nil }
        audio.forgetInterruption()
        turn.publish(.participantChanged(nil))
    }
}

/// A transmission that is going on: it belongs to one connection and one origin, and its time is limited.
struct Lease: Equatable, Sendable {
    let transmission: Transmission
    let holder: ClientID
    /// When to warn of the limit; nil once that is done.
    var warning: MonotonicTime?
    let limit: MonotonicTime

    /// One capture stream per transmission, so it takes its number.
    var captureID: CaptureID { CaptureID(rawValue: transmission.transmissionID.rawValue) }

    var deadline: MonotonicTime { warning ?? limit }
}
