import SwiftProtobuf

// Another channel of the same server, on the same connection: a server bans who makes many.
extension ServerSession {
    /// Goes on with another channel.
    ///
    /// - Parameters:
    ///   - address: Of the channel.
    ///   - password: Of its server.
    ///   - now: The time.
    /// - Returns: Nil if that takes a new session.
    public mutating func step(
        to address: ServerAddress,
        password: String?,
        _ now: Duration
    ) -> [Effect]? {
        guard address.server == self.address.server, address.user == self.address.user,
            password == self.password
        else { return nil }
        switch state {
        case .connecting, .authenticating:
            self.address = address
            outgoing.drop()
            return []
        case .joined:
            guard let own = session.flatMap({ directory.people[$0] }) else { return nil }
            self.address = address
            outgoing.drop()
            return step(own, now)
        // What is under way there is for the other channel, or there is nothing.
        case .idle, .entering, .waiting, .ended: return nil
        }
    }

    private mutating func step(_ own: Directory.Person, _ now: Duration) -> [Effect] {
        guard let target else { return missing() }
        channel = target
        // A server does not answer who wants to go where it is.
        guard target != own.channel || stepLimit != nil else { return entered() }
        outgoing.isHeld = true
        stepLimit = now + Self.stepLimit
        return [send(.userState(move(to: target)))]
    }

    /// We are in the channel.
    mutating func stepped(_ now: Duration) -> [Effect] {
        stepLimit = nil
        // That was an answer, whatever the network was asked for.
        outgoing.isHeld = false
        return entered() + requestFloor(now) + flush(now)
    }

    /// The channel of the address, or where the server has put us; nil if there is none.
    var target: UInt32? { address.path.isEmpty ? home : directory.channel(at: address.path) }

    mutating func missing() -> [Effect] {
        let names = directory.names(10).joined(separator: ", ")
        return end(
            "\(address.server) has no channel \(address.path.joined(separator: "/"))"
                + (names.isEmpty ? "" : "; it has \(names)"),
            .channelMissing
        )
    }

    func move(to channel: UInt32) -> WireUserState {
        WireUserState.with {
            if let session { $0.session = session }
            $0.channelID = channel
        }
    }
}
