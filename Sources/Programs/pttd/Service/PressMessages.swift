import JSON
import PTTMessages

// What is told and answered with each press, written without `Codable`, as the encoder would write it.

extension JSONObject {
    /// Nil for the kinds of events that are left to the encoder.
    init?(usual event: CoreEvent, sequence: Int, time: Int) {
        guard let event = event.usualMembers else { return nil }
        self = ["sequence": .int(Int64(sequence)), "time": .int(Int64(time)), "event": .object(event)]
    }

    init(_ reply: CoreInterface.BeginReply) {
        self = ["transmissionID": .int(Int64(reply.transmissionID.rawValue))]
    }
}

extension CoreEvent {
    fileprivate var usualMembers: JSONObject? {
        if case .transmissionBegan(let transmission) = self {
            return ["kind": .string(kind), "transmission": .object(transmission.members)]
        }
        if case .transmissionEnded(let transmission, let cause, let source) = self {
            return [
                "kind": .string(kind),
                "transmission": .object(transmission.members),
                "cause": .string(cause.rawValue),
                "endedBy": .string(source.rawValue),
            ]
        }
        let hasKindOnly = [.audioActivating, .audioActivated, .audioDeactivated].contains(self)
        return hasKindOnly ? ["kind": .string(kind)] : nil
    }
}

extension Transmission {
    fileprivate var members: JSONObject {
        [
            "transmissionID": .int(Int64(transmissionID.rawValue)),
            "source": .string(source.rawValue),
            "origin": [
                "kind": .string(origin.kind.rawValue),
                "identifier": .string(origin.identifier),
                "name": .string(origin.name),
            ],
            "began": .int(Int64(began)),
        ]
    }
}
