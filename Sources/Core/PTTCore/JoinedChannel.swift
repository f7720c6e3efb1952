import PTTMessages

/// The channel, while it is joined.
struct JoinedChannel: Equatable, Sendable {
    /// For how long after a press that the application handles itself it may begin one transmission from the
    /// background.
    static let grace = Duration.seconds(3)

    let channelID: ChannelID
    let pushToken: PushToken
    var descriptor: Descriptor
    /// True if the descriptor stands in for one that was lost.
    var isDescriptorLost = false
    var presence: ApplicationPresence
    var transmissionMode = TransmissionMode.halfDuplex
    var areAccessoryEventsEnabled = true
    var budget = PushBudget()

    /// The application that the channel belongs to, whether it is running or not.
    var owner: Owner? {
        switch presence {
        case .unowned: nil
        case .absent(let absent): absent.owner
        case .starting(let starting): starting.owner
        case .running(let running): running.owner
        }
    }

    /// The state that exists only while the application is running. Its end is another ``presence``.
    var running: RunningApplication? {
        get { if case .running(let running) = presence { running } else { nil } }
        set { if let newValue { presence = .running(newValue) } }
    }

    /// The state that exists only while the application is being started. Its end is another ``presence``.
    var starting: StartingApplication? {
        get { if case .starting(let starting) = presence { starting } else { nil } }
        set { if let newValue { presence = .starting(newValue) } }
    }

    /// The client that receives the channel's audio.
    var receiver: ClientID? { running?.client }

    var application: Application? { running?.application }

    var format: AudioFormat { running?.format ?? .standard }

    var reception: Reception? {
        get { running?.reception }
        set { running?.reception = newValue }
    }

    var participant: RemoteParticipant? { reception?.participant }

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
}
