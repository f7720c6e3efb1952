import PTTCore
import PTTMessages

extension Model {
    /// Semantics, “The states”: the one channel. What exists only with an application is in its presence.
    struct Joined {
        let id: ChannelID
        var name: String
        var hasPicture = false
        /// Semantics, “A lost descriptor”: the core has lost the descriptor, and asks the application for it.
        var needsDescriptor = false
        let token: PushToken
        var mode = TransmissionMode.halfDuplex
        var areAccessoryEventsEnabled = true
        /// When the high-priority service updates of the last hour arrived.
        var urgent: [MonotonicTime] = []
        var presence: Presence
    }

    enum Presence {
        /// Joined from the command line: there is no application, and none is started.
        case unowned(ActiveTransmission?)
        /// Semantics, “The states”: the application has disconnected, the channel is kept.
        ///
        /// - Parameter backBy: Until when its process may reconnect.
        case absent(Owner, reconnectionDeadline: MonotonicTime)
        case starting(Owner, Start, transmission: ActiveTransmission?)
        /// Ours: without an owner if the program only receives the audio of a channel that was joined from
        /// the command line.
        case running(Owner?, Running, transmission: ActiveTransmission?)
    }

    struct Owner: Equatable {
        let id: ApplicationID
        let canBeStarted: Bool
    }

    struct Start {
        enum Launch {
            /// Its process may reconnect until then.
            case waiting(until: MonotonicTime)
            case ordered
        }

        let number: Int
        let deadline: MonotonicTime
        var launch: Launch
        /// The events of transmissions that the application has missed.
        var missed: [String] = []
        var pushes: [(id: Int, kind: PushKind)] = []
    }

    struct Running {
        let client: ClientID
        /// Semantics, “The settings after a join”: set again after every join and restoration.
        var status = ServiceStatus.ready
        var remote: Remote?
        var pushes: [(id: Int, kind: PushKind, until: MonotonicTime)] = []
        /// Buttons that the application was notified of as pressed, with the connections that reported them.
        var pressed: [(origin: Origin, role: ButtonRole, by: ClientID)] = []
        /// Semantics, “A button that the application handles”, “A begin in the background”: until when it may
        /// begin once from the background.
        var graceEnd: MonotonicTime?
    }

    /// Semantics, “When the session is active”: a participant is set.
    struct Remote {
        var name: String
        var reception: Reception
    }

    enum Reception {
        /// Semantics, “Success means activation”: the speaker is being opened, and requests wait for the
        /// result.
        case opening(playback: Int, requests: Int)
        /// Nil: muted by an emergency.
        case playing(playback: Int?)
        /// The reception is interrupted, and continues by itself within a minute.
        case interrupted(since: MonotonicTime)
        /// Ours: it was interrupted for longer, or by a call, or set during one. The application must set it
        /// again.
        case unheard
    }

    /// Semantics, “When the session is active”: a transmission exists.
    struct ActiveTransmission {
        let client: ClientID
        let source: TransmitSource
        let origin: Origin
        let role: ButtonRole
        let began: MonotonicTime
        /// Nil unless this is a recording.
        let recordingFormat: AudioFormat?
        /// The format of its capture stream, once that is open.
        var format: AudioFormat?
        var isWarned = false
        /// Its button was tapped and keeps it on; the tone that says so is played once frames are delivered.
        var isLatched = false
        var owesLatchTone = false
        /// Its button is released, and it goes on until then.
        var released: (by: TransmitSource, end: MonotonicTime)?
    }
}

extension Model.Joined {
    var ownerID: ApplicationID? {
        switch presence {
        case .unowned: nil
        case .absent(let owner, reconnectionDeadline: _), .starting(let owner, _, _): owner.id
        case .running(let owner, _, _): owner?.id
        }
    }

    var transmission: Model.ActiveTransmission? {
        get {
            switch presence {
            case .absent: nil
            case .unowned(let transmission), .starting(_, _, let transmission),
                .running(_, _, let transmission):
                transmission
            }
        }
        set {
            switch presence {
            // No transmission exists in a channel whose application is neither running nor starting.
            case .absent: break
            case .unowned: presence = .unowned(newValue)
            case .starting(let owner, let start, _):
                presence = .starting(owner, start, transmission: newValue)
            case .running(let owner, let running, _):
                presence = .running(owner, running, transmission: newValue)
            }
        }
    }

    var start: Model.Start? {
        get { if case .starting(_, let start, _) = presence { start } else { nil } }
        set {
            guard case .starting(let owner, _, let transmission) = presence, let newValue else { return }
            presence = .starting(owner, newValue, transmission: transmission)
        }
    }

    var running: Model.Running? {
        get { if case .running(_, let running, _) = presence { running } else { nil } }
        set {
            guard case .running(let owner, _, let transmission) = presence, let newValue else { return }
            presence = .running(owner, newValue, transmission: transmission)
        }
    }

    var remote: Model.Remote? {
        get { running?.remote }
        set { running?.remote = newValue }
    }

    /// Semantics, “A press starts the application”, “A short press”: the audio of a transmission waits for
    /// the application that it starts.
    var isSending: Bool {
        switch presence {
        case .absent, .starting: false
        case .unowned(let transmission), .running(_, _, let transmission): transmission != nil
        }
    }

    /// Ours: a half-duplex radio does not receive while it transmits. Only an emergency transmits during a
    /// reception.
    var isHeard: Bool {
        if mode == .halfDuplex, transmission != nil { return false }
        return switch running?.remote?.reception {
        case .opening, .playing: true
        case .interrupted, .unheard, nil: false
        }
    }
}
