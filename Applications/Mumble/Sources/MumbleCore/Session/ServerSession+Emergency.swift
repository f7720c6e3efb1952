import SwiftProtobuf

// An emergency goes before all others. Mumble has none, so that it is a text to the channel, for people too.
// A server says of whom a text is, and who has left without another one.
extension ServerSession {
    static let emergencyBegin = "Emergency call"
    static let emergencyEnd = "End of the emergency call"
    /// Who is heard again after so long says something else. Longer than voice is away that goes over from
    /// UDP to the tunnel: an emergency that goes on after a hole is to stay one.
    private static let emergencySilence = Duration.seconds(5)

    /// True if this person transmits as an emergency.
    public func isEmergency(_ session: UInt32) -> Bool {
        session == self.session ? isEmergency : directory.people[session]?.isEmergency == true
    }

    /// How somebody who talks is shown, in the length that `pttd` accepts.
    public func shownName(of session: UInt32) -> String {
        let name = name(of: session) ?? "somebody"
        return isEmergency(session) ? "EMERGENCY: \(name)".cut(Directory.longestName) : name
    }

    mutating func announce(_ isEmergency: Bool) -> [Effect] {
        guard isEmergency != self.isEmergency else { return [] }
        self.isEmergency = isEmergency
        return isJoined ? announcement(isEmergency ? Self.emergencyBegin : Self.emergencyEnd) : []
    }

    /// An emergency that began before we were in the channel, or in it again.
    func announcement() -> [Effect] { isEmergency ? announcement(Self.emergencyBegin) : [] }

    private func announcement(_ text: String) -> [Effect] {
        guard let channel else { return [] }
        let message = WireTextMessage.with {
            $0.channelID = [channel]
            $0.message = text
        }
        return [send(.textMessage(message))]
    }

    /// Other texts are for other programs.
    mutating func said(_ message: WireTextMessage) -> [Effect] {
        switch message.message {
        case Self.emergencyBegin: changed(toEmergency: true, message.actor)
        case Self.emergencyEnd: changed(toEmergency: false, message.actor)
        default: []
        }
    }

    /// The last packet ends it as well, since a server drops texts of whom sends many (`messagelimit`).
    mutating func emergencyEnded(_ person: UInt32?) -> [Effect] {
        person.map { changed(toEmergency: false, $0) } ?? []
    }

    /// The text and the last packet may both get lost.
    mutating func emergencyHeard(_ person: UInt32?, _ now: Duration) -> [Effect] {
        guard let person, let known = directory.people[person], known.isEmergency else { return [] }
        if let heard = known.heard, now - heard >= Self.emergencySilence {
            return changed(toEmergency: false, person)
        }
        directory.heard(person, now)
        return []
    }

    private mutating func changed(toEmergency isEmergency: Bool, _ person: UInt32) -> [Effect] {
        guard person != session, let known = directory.people[person] else { return [] }
        directory.setEmergency(isEmergency, of: person)
        return known.isEmergency == isEmergency ? [] : [.emergency(session: person)]
    }
}
