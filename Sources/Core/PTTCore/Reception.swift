import PTTMessages

/// A remote participant is talking.
enum Reception: Equatable, Sendable {
    /// The largest number of requests that may wait. An application sets the participant again as it learns
    /// more about them.
    static let requestLimit = 16

    /// The speaker is being opened for the first time, and requests wait for its result.
    case opening(RemoteParticipant, awaitedBy: [RequestID])
    /// Also while the speaker is being opened again, and after another participant has taken over.
    case playing(RemoteParticipant)
    /// It continues by itself once nothing prevents it, unless that takes longer than ``resumptionLimit``.
    case interrupted(RemoteParticipant, Interruption, since: MonotonicTime)
    /// Set during a call, or interrupted by one or for too long: not heard until the application sets a
    /// participant again.
    case unheard(RemoteParticipant)

    /// After a longer interruption nobody expects a voice, and other people may be near.
    static let resumptionLimit = Duration.seconds(60)

    var participant: RemoteParticipant {
        switch self {
        case .opening(let participant, awaitedBy: _), .playing(let participant),
            .interrupted(let participant, _, since: _), .unheard(let participant):
            participant
        }
    }

    var interruption: Interruption? {
        if case .interrupted(_, let interruption, since: _) = self { interruption } else { nil }
    }

    var awaitedBy: [RequestID] {
        if case .opening(_, let requests) = self { requests } else { [] }
    }
}

struct RemoteParticipant: Equatable, Sendable {
    let name: String
    let image: Image?

    var description: Participant { Participant(name: name, image: image?.summary) }
}
