import SwiftProtobuf

// An emergency goes before all others. Mumble has none, so that it is a text to the channel, for people too.
// A server says of whom a text is, and who has left without another one.
extension ServerSession {
    static let emergencyBegin = "Emergency call"
    static let emergencyEnd = "End of the emergency call"

    /// Whether this person transmits as an emergency.
    public func isEmergency(_ session: UInt32) -> Bool {
        session == self.session ? isEmergency : directory.people[session]?.isEmergency == true
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
        let isEmergency = message.message == Self.emergencyBegin
        guard isEmergency || message.message == Self.emergencyEnd, message.actor != session,
            let person = directory.people[message.actor], person.isEmergency != isEmergency
        else { return [] }
        directory.setEmergency(isEmergency, of: message.actor)
        return [.emergency(session: message.actor)]
    }
}
