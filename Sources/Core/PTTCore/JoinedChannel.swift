import PTTMessages

/// The channel, while it is joined.
struct JoinedChannel: Equatable, Sendable {
    /// Whether the program that receives the channel's audio is there.
    enum Presence: Equatable, Sendable {
        /// The channel was joined without an application, and transmits without one.
        case notNeeded
        case running(ClientID, Application)
        case absent
        case starting(Start)
    }

    /// The wait for an application that was told to start.
    struct Start: Equatable, Sendable {
        static let limit = Duration.seconds(10)
        /// Many more than presses fit into the limit; the oldest are dropped beyond it.
        static let heldLimit = 32

        let startID: StartID
        let deadline: MonotonicTime
        /// What the application would have been told.
        var held: [CoreEvent] = []

        mutating func hold(_ event: CoreEvent) {
            held.append(event)
            held.removeFirst(max(0, held.count - Self.heldLimit))
        }
    }

    /// Somebody who talks at the other end.
    struct RemoteSpeaker: Equatable, Sendable {
        let name: String
        let image: Image?

        var description: Participant { Participant(name: name, image: image?.summary) }
    }

    /// How long after a press that it must handle itself an application may begin once from the background.
    static let grace = Duration.seconds(3)

    let channelID: ChannelID
    let pushToken: PushToken
    var owner: Owner?
    var descriptor: Descriptor
    /// Whether the descriptor stands in for one that was lost.
    var isDescriptorLost = false
    var presence: Presence
    var format = AudioFormat.standard
    var serviceStatus = ServiceStatus.ready
    var transmissionMode = TransmissionMode.halfDuplex
    var areAccessoryEventsEnabled = true
    /// Until when the application may begin once without being in the foreground.
    var graceEnd: MonotonicTime?
    var participant: RemoteSpeaker?
    /// What keeps the present participant from being heard, beside the machine and the audio server.
    var hearingLoss: Interruption?
    /// Whether the application is there and its audio socket is not.
    var isAudioConnectionLost = false
    /// Buttons that the application was told of as pressed, each with the connection that told of it.
    var pressed: [PressedAccessory] = []
    var lease: Lease?
    var audio = AudioSession()
    var pushes: [WaitingPush] = []
    var budget = PushBudget()

    init(_ channelID: ChannelID, _ pushToken: PushToken, _ owner: Owner?, _ descriptor: Descriptor) {
        self.channelID = channelID
        self.pushToken = pushToken
        self.owner = owner
        self.descriptor = descriptor
        presence = owner == nil ? .notNeeded : .absent
    }

    /// The application that is there.
    var receiver: ClientID? {
        switch presence {
        case .running(let client, _): client
        case .notNeeded, .absent, .starting: nil
        }
    }

    var application: Application? {
        switch presence {
        case .running(_, let application): application
        case .notNeeded, .absent, .starting: nil
        }
    }

    var start: Start? {
        switch presence {
        case .starting(let start): start
        case .notNeeded, .running, .absent: nil
        }
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
            serviceStatus: serviceStatus,
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
        ([lease?.deadline, start?.deadline] + pushes.map(\.deadline)).compactMap(\.self).min()
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

    mutating func clearParticipant(_ turn: inout Turn) {
        guard participant != nil else { return }
        participant = nil
        hearingLoss = nil
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
