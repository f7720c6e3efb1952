import FoundationEssentials
import SwiftProtobuf

// What the server says.
extension ServerSession {
    mutating func handle(_ message: ControlMessage, _ now: Duration) -> [Effect] {
        // An earlier one of the same bytes may have ended it.
        switch state {
        case .idle, .connecting, .waiting, .ended: return []
        case .authenticating, .entering, .joined: break
        }
        switch message {
        case .version(let message): return version(message)
        case .tunnel(let datagram): return session == nil ? [] : tunnelled(datagram, now)
        case .ping: return answered(now)
        case .reject(let message): return rejected(message, now)
        case .serverSync(let message): return synchronised(message, now)
        case .channelState(let message): return changed(message)
        case .channelRemove(let message):
            directory.removeChannel(message.channelID)
            return []
        case .userState(let message): return changed(message, now)
        case .userRemove(let message): return removed(message, now)
        case .textMessage(let message): return said(message)
        case .permissionDenied(let message): return denied(message, now)
        case .cryptSetup(let message): return encryption(message, now)
        case .serverConfig(let message): return configured(message)
        case .pluginData(let message): return received(message, now)
        case .authenticate, .requestBlob, .other: return []
        }
    }

    private mutating func version(_ message: WireVersion) -> [Effect] {
        // The older form has a byte for each of the last two numbers.
        let old = message.versionV1
        let (major, minor, patch) = (UInt64(old >> 16), UInt64(old >> 8 & 0xff), UInt64(old & 0xff))
        let converted = (major << 48) | (minor << 32) | (patch << 16)
        serverVersion = message.hasVersionV2 ? message.versionV2 : converted
        return []
    }

    /// Voice goes by UDP only after the server has read all that had waited, which it would overtake.
    private mutating func answered(_ now: Duration) -> [Effect] {
        answerDue = nil
        // Until it has moved us, what is said waits.
        if stepLimit == nil { outgoing.isHeld = false }
        return flush(now) + (isJoined && nextDatagramPing == nil ? datagramPing(now) : [])
    }

    private mutating func rejected(_ message: WireReject, _ now: Duration) -> [Effect] {
        let detail = message.reason.isEmpty ? "reason \(message.type)" : words(message.reason)
        let reason = "\(address.server) does not let \(address.user) in: \(detail)"
        // These pass: the name is in use, maybe by our own connection before this one; the server is full; it
        // cannot authenticate at present.
        let type = UInt32(message.type)
        guard [5, 6, 8].contains(type) else {
            return end(reason, Trouble(rejection: type))
        }
        return [.disconnect] + fail(reason, Trouble(rejection: type), now)
    }

    private mutating func synchronised(_ message: WireServerSync, _ now: Duration) -> [Effect] {
        guard case .authenticating = state, message.hasSession else { return [] }
        session = message.session
        maximumBandwidth = message.maxBandwidth
        let own = directory.people[message.session] ?? Directory.Person()
        home = own.channel
        guard let target else { return missing() }
        channel = target
        state = .entering(limit: now + Self.stepLimit)
        return target == own.channel ? enter(now) : [send(.userState(move(to: target)))]
    }

    /// The packets that were sent before count for the new limit too.
    private mutating func configured(_ message: WireServerConfig) -> [Effect] {
        guard message.hasMaxBandwidth else { return [] }
        maximumBandwidth = message.maxBandwidth
        outgoing.bandwidth?.limit = message.maxBandwidth
        return []
    }

    private mutating func enter(_ now: Duration) -> [Effect] {
        state = .joined(since: now)
        bridgeEnd = nil
        failure = nil
        backoff.joined()
        way = path == nil ? .tunnel : nil
        outgoing.bandwidth = Bandwidth(limit: maximumBandwidth, since: firstHeard ?? now)
        let comment = WireUserState.with { $0.comment = Self.comment }
        return entered() + [.status(.ready)] + announcement() + requestFloor(now) + flush(now) + ping(now)
            + [send(.userState(comment))]
    }

    mutating func entered() -> [Effect] {
        guard let own = session.flatMap({ directory.people[$0] }) else { return [] }
        let name = own.channel == 0 ? "" : directory.channels[own.channel]?.name ?? ""
        return [.entered(channel: name), .mayTalk(own.mayTalk)] + rule(of: own.channel)
    }

    private mutating func changed(_ message: WireChannelState) -> [Effect] {
        directory.update(message)
        let isOurs = isJoined && directory.people[session ?? 0]?.channel == message.channelID
        let isDescribed = message.hasDescription_p || message.hasDescriptionHash
        return isOurs && isDescribed ? rule(of: message.channelID) : []
    }

    private mutating func changed(_ message: WireUserState, _ now: Duration) -> [Effect] {
        let before = directory.people[message.session]
        directory.update(message)
        let pictured = picture(message)
        guard message.session == session, let own = directory.people[message.session],
            own.channel != before?.channel || own.mayTalk != before?.mayTalk
        else { return pictured }
        switch state {
        case .entering: return own.channel == channel ? enter(now) : []
        case .joined where stepLimit != nil: return own.channel == channel ? stepped(now) : []
        case .joined:
            channel = own.channel
            // Those in another channel have not been told of an emergency.
            return entered() + (own.channel == before?.channel ? [] : announcement())
        case .idle, .connecting, .authenticating, .waiting, .ended: return []
        }
    }

    /// Of another picture only the hash comes by itself, and an empty file if it was taken away.
    private mutating func picture(_ message: WireUserState) -> [Effect] {
        guard message.hasTexture, !message.texture.isEmpty else {
            if message.hasTexture || message.hasTextureHash { pictures.forget(message.session) }
            return []
        }
        let isShown = pictures.receive(Array(message.texture), of: message.session)
        return isShown ? [.pictured(session: message.session)] : []
    }

    private mutating func removed(_ message: WireUserRemove, _ now: Duration) -> [Effect] {
        directory.removePerson(message.session)
        pictures.forget(message.session)
        guard message.session == session else {
            return [.left(session: message.session)] + floorLeft(message.session, now)
        }
        let detail = message.reason.isEmpty ? "" : ": \(words(message.reason))"
        return end(
            "\(address.server) has \(message.ban ? "banned" : "removed") \(address.user)\(detail)",
            .removed
        )
    }

    private mutating func denied(_ message: WirePermissionDenied, _ now: Duration) -> [Effect] {
        let detail = message.reason.isEmpty ? "" : ": \(words(message.reason))"
        let reason = "\(address.server) denies a permission\(detail)"
        guard isMoving else { return [.note(reason, about: .permission)] }
        guard !message.hasChannelID || message.channelID == channel else {
            // The step before this one is denied, which was one from where we are.
            let own = session.flatMap { directory.people[$0] }
            return stepLimit != nil && own?.channel == channel ? stepped(now) : []
        }
        let path = address.path.joined(separator: "/")
        return end("\(address.user) may not enter \(path): \(reason)", .channelForbidden)
    }

    /// A reason that the server gives, cut to a length that can be shown.
    private func words(_ reason: String) -> String { reason.cut(Directory.longestName) }

    private mutating func encryption(_ message: WireCryptSetup, _ now: Duration) -> [Effect] {
        if message.hasKey {
            let cipher = PacketCipher(
                key: Array(message.key),
                clientNonce: Array(message.clientNonce),
                serverNonce: Array(message.serverNonce)
            )
            path = cipher.map { DatagramPath($0, now) }
            guard path == nil else { return [] }
            // Without encryption there is the tunnel, and a ping that cannot be sent would be due for ever.
            nextDatagramPing = nil
            if isJoined { way = .tunnel }
            return []
        }
        if message.hasServerNonce {
            // One of another size is of no use, and voice goes through the tunnel once a ping is not
            // answered.
            _ = path?.resynchronise(serverNonce: Array(message.serverNonce))
            return []
        }
        guard let path else { return [] }
        let answer = WireCryptSetup.with { $0.clientNonce = .init(path.clientNonce) }
        return [send(.cryptSetup(answer))]
    }
}
