import PTTCore
import PTTMessages

extension Model {
    /// 2.2: the one channel of the machine. What only exists with an application lies in its presence.
    struct Joined {
        let id: ChannelID
        var name: String
        var hasPicture = false
        /// 1.3: the core has lost what people see of the channel, and its application is to say it again.
        var needsDescriptor = false
        let token: PushToken
        var mode = TransmissionMode.halfDuplex
        var areAccessoryEventsEnabled = true
        /// When the high-priority service updates of the last hour came.
        var urgent: [Int] = []
        var presence: Presence
    }

    enum Presence {
        /// Joined from a command line: there is no application, and none is waited for.
        case unowned(Talk?)
        /// 2.2, orphaned: the application has gone, the channel is kept.
        ///
        /// - Parameter backBy: Until when its own process may come back by itself.
        case absent(Owner, backBy: Int)
        case starting(Owner, Start, Talk?)
        /// Ours: without an owner if the program only listens to a channel that was joined from a command line.
        case running(Owner?, Running, Talk?)
    }

    struct Owner: Equatable {
        let id: ApplicationID
        let canBeStarted: Bool
    }

    struct Start {
        enum Launch {
            /// Its own process may be on its way back, and has until then.
            case waiting(until: Int)
            case ordered
        }

        let number: Int
        let deadline: Int
        var launch: Launch
        /// Of the transmissions that the application has missed.
        var missed: [String] = []
        var pushes: [(id: Int, kind: PushKind)] = []
    }

    struct Running {
        let client: ClientID
        /// Set again after every join and restoration (row 7).
        var status = ServiceStatus.ready
        var remote: Remote?
        var pushes: [(id: Int, kind: PushKind, until: Int)] = []
        /// Buttons that the application was told of as pressed, and by whom the core was.
        var pressed: [(origin: Origin, by: ClientID)] = []
        /// Until when it may begin once from the background (row 14, proof 35).
        var graceUntil: Int?
    }

    /// `rx` of 2.1.
    struct Remote {
        var name: String
        var hearing: Hearing
    }

    enum Hearing {
        /// The speaker is asked for, and requests wait to be told whether anybody is heard (proof 41).
        case opening(playback: Int, requests: Int)
        case playing(playback: Int)
        /// Something took the speaker away from who talks.
        case taken
    }

    /// `tx` of 2.1.
    struct Talk {
        let client: ClientID
        let source: TransmitSource
        let origin: Origin
        let began: Int
        var isWarned = false
    }
}

extension Model.Joined {
    var ownerID: ApplicationID? {
        switch presence {
        case .unowned: nil
        case .absent(let owner, backBy: _), .starting(let owner, _, _): owner.id
        case .running(let owner, _, _): owner?.id
        }
    }

    var talk: Model.Talk? {
        get {
            switch presence {
            case .absent: nil
            case .unowned(let talk), .starting(_, _, let talk), .running(_, _, let talk): talk
            }
        }
        set {
            switch presence {
            // Nobody transmits into a channel whose application is neither there nor on its way.
            case .absent: break
            case .unowned: presence = .unowned(newValue)
            case .starting(let owner, let start, _): presence = .starting(owner, start, newValue)
            case .running(let owner, let running, _): presence = .running(owner, running, newValue)
            }
        }
    }

    var start: Model.Start? {
        get { if case .starting(_, let start, _) = presence { start } else { nil } }
        set {
            guard case .starting(let owner, _, let talk) = presence, let newValue else { return }
            presence = .starting(owner, newValue, talk)
        }
    }

    var running: Model.Running? {
        get { if case .running(_, let running, _) = presence { running } else { nil } }
        set {
            guard case .running(let owner, _, let talk) = presence, let newValue else { return }
            presence = .running(owner, newValue, talk)
        }
    }

    var remote: Model.Remote? {
        get { running?.remote }
        set { running?.remote = newValue }
    }

    /// The audio of a transmission waits for the application that it starts (row 12, 21).
    var isSending: Bool {
        switch presence {
        case .absent, .starting: false
        case .unowned(let talk), .running(_, _, let talk): talk != nil
        }
    }

    var isHeard: Bool {
        switch running?.remote?.hearing {
        case .opening, .playing: true
        case .taken, nil: false
        }
    }
}
