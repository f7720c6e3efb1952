import JSON
import PTTMessages
import Varlink

// The events and the reply of a press, written without `Codable`, byte for byte as the encoder would write them.

extension PreparedReply {
    /// Nil for the other kinds of events, which the encoder writes.
    init?(usual event: CoreEvent, sequence: Int, time: Int) {
        guard event.isUsual else { return nil }
        self.init(continues: true) { update in
            update.add("sequence", sequence)
            update.add("time", time)
            update.add("event") { event.write(to: &$0) }
        }
    }

    init(_ reply: ChannelInterface.BeginReply) {
        self.init(continues: false) { $0.add("transmissionID", reply.transmissionID.rawValue) }
    }
}

extension CoreEvent {
    fileprivate var isUsual: Bool {
        if case .transmissionBegan = self { return true }
        if case .transmissionEnded = self { return true }
        return [.audioActivating, .audioActivated, .audioDeactivated].contains(self)
    }

    /// Only for ``isUsual`` kinds; other kinds have more members.
    fileprivate func write(to text: inout JSONObjectText) {
        text.add("kind", kind)
        if case .transmissionBegan(let transmission) = self {
            text.add("transmission") { transmission.write(to: &$0) }
        }
        if case .transmissionEnded(let transmission, let cause, let source) = self {
            text.add("transmission") { transmission.write(to: &$0) }
            text.add("cause", cause.rawValue)
            text.add("endedBy", source.rawValue)
        }
    }
}

extension Transmission {
    fileprivate func write(to text: inout JSONObjectText) {
        text.add("transmissionID", transmissionID.rawValue)
        text.add("source", source.rawValue)
        text.add("origin") {
            $0.add("kind", origin.kind.rawValue)
            $0.add("identifier", origin.identifier)
            $0.add("name", origin.name)
        }
        text.add("began", began)
        if role != .talk { text.add("role", role.rawValue) }
    }
}
