import PTTMessages

/// A remote participant is talking.
enum Reception: Equatable, Sendable {
    /// How many requests may wait. An application sets the participant again as it learns more about them.
    static let requestLimit = 16

    /// The speaker is being opened for the first time, and requests wait for its result.
    case opening(RemoteParticipant, awaitedBy: [RequestID])
    /// Also while the speaker is being opened again, and after another participant has taken over.
    case playing(RemoteParticipant)
    case interrupted(RemoteParticipant, Interruption)

    var participant: RemoteParticipant {
        switch self {
        case .opening(let participant, awaitedBy: _), .playing(let participant),
            .interrupted(let participant, _):
            participant
        }
    }

    var interruption: Interruption? {
        switch self {
        case .opening, .playing: nil
        case .interrupted(_, let interruption): interruption
        }
    }

    var awaitedBy: [RequestID] {
        switch self {
        case .opening(_, let requests): requests
        case .playing, .interrupted: []
        }
    }
}

struct RemoteParticipant: Equatable, Sendable {
    let name: String
    let image: Image?

    var description: Participant { Participant(name: name, image: image?.summary) }
}
