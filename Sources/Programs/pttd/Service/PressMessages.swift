import JSON
import PTTMessages

// The events of a press, written without `Codable`, byte for byte as the encoder would write them, in a third
// of its instructions. With the encoder, the core would spend a sixth more on a press.

extension JSONText {
    /// Nil for the other kinds of events, which the encoder writes.
    init?(press event: CoreEvent, sequence: Int, time: Int) {
        guard let kind = event.kindOfPress else { return nil }
        self.init { update in
            update.add("sequence", sequence)
            update.add("time", time)
            update.add("event") { event.write(kind, to: $0) }
        }
    }
}

extension CoreEvent {
    /// Nil for the kinds that have other members.
    fileprivate var kindOfPress: String? {
        if case .transmissionBegan = self { return "transmissionBegan" }
        if case .transmissionEnded = self { return "transmissionEnded" }
        if self == .audioActivating { return "audioActivating" }
        if self == .audioActivated { return "audioActivated" }
        return self == .audioDeactivated ? "audioDeactivated" : nil
    }

    fileprivate func write(_ kind: String, to object: JSONMembers) {
        object.add("kind", kind)
        if case .transmissionBegan(let transmission) = self {
            object.add("transmission") { transmission.write(to: $0) }
        }
        if case .transmissionEnded(let transmission, let cause, let source) = self {
            object.add("transmission") { transmission.write(to: $0) }
            object.add("cause", cause.rawValue)
            object.add("endedBy", source.rawValue)
        }
    }
}

extension Transmission {
    fileprivate func write(to object: JSONMembers) {
        object.add("transmissionID", transmissionID.rawValue)
        object.add("source", source.rawValue)
        object.add("origin") {
            $0.add("kind", origin.kind.rawValue)
            $0.add("identifier", origin.identifier)
            $0.add("name", origin.name)
        }
        object.add("began", began)
        if role != .talk { object.add("role", role.rawValue) }
        if let latched { object.add("latched", latched) }
        if let recording {
            object.add("recording") {
                $0.add("rate", recording.rate)
                $0.add("channels", recording.channels)
            }
        }
    }
}
