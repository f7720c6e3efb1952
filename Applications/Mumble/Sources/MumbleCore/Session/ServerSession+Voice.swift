import SwiftProtobuf

// What is said and heard.
extension ServerSession {
    /// A person begins to talk: both ways to the server are tried, because they may be gone since the last
    /// time.
    public mutating func transmissionBegan(isEmergency: Bool = false, _ now: Duration) -> [Effect] {
        isTalking = true
        let announcement = announce(isEmergency)
        guard isJoined else { return announcement }
        path?.doubt(now)
        return announcement + requestFloor(now) + ping(now)
            + (nextDatagramPing == nil ? [] : datagramPing(now))
    }

    public mutating func transmissionEnded() -> [Effect] {
        isTalking = false
        if nextDatagramPing != nil { nextDatagramPing = nextPing }
        return announce(false)
    }

    /// With which a packet of 20 milliseconds is to be encoded, in bits per second. What waits for the server
    /// has one for any usual limit.
    public var bitrate: Int { Bandwidth.bitrate(limit: maximumBandwidth) }

    /// Sends a packet, after all before it, as soon as the path stands and the server's limit allows it.
    public mutating func say(_ packet: VoicePacket, _ now: Duration) -> [Effect] {
        // The press has crossed the end, and the microphone is open for nobody.
        guard state != .ended else { return failure.map { [Effect.unsent($0.text)] } ?? [] }
        let isKept = outgoing.append(packet, now)
        return isKept ? flush(now) : [tooSlow]
    }

    public mutating func receivedDatagram(_ packet: [UInt8], _ now: Duration) -> [Effect] {
        guard session != nil else { return [] }
        let format = format
        switch path?.receive(packet, format, now) {
        case .datagram(.voice(let packet)): return heard(packet, now)
        case .datagram(.ping):
            way = .datagrams
            return []
        case .nothing, nil: return []
        case .lostCount: return [send(.cryptSetup(WireCryptSetup()))]
        }
    }

    mutating func tunnelled(_ datagram: [UInt8], _ now: Duration) -> [Effect] {
        switch format.decode(datagram) {
        case .voice(let packet): heard(packet, now)
        case .ping, nil: []
        }
    }

    /// Until the server has moved us, others are heard from where we do not stay.
    private mutating func heard(_ packet: VoicePacket, _ now: Duration) -> [Effect] {
        guard packet.session != session, !isMoving else { return [] }
        if let session = packet.session { control.heard(session, isLast: packet.isLast, now) }
        return emergencyHeard(packet.session, now) + [.heard(packet)]
            + (packet.isLast ? emergencyEnded(packet.session) : [])
    }

    /// The newer one if both ends have it.
    var format: VoiceFormat { serverVersion >= 1 << 48 | 5 << 32 ? .protobuf : .legacy }

    mutating func flush(_ now: Duration) -> [Effect] {
        var effects: [Effect] = []
        while let datagram = outgoing.next(format, now) { effects.append(transport(datagram)) }
        return effects
    }

    private mutating func transport(_ datagram: [UInt8]) -> Effect {
        guard path?.isProven == true, let packet = path?.seal(datagram) else {
            return send(.tunnel(datagram))
        }
        return .sendDatagram(packet)
    }

    // MARK: Time

    mutating func expireVoice(_ now: Duration) -> [Effect] {
        guard !outgoing.expire(now) else { return [] }
        return [outgoing.isBlocked ? .unsent("\(address.server) cannot be reached") : tooSlow]
    }

    private var tooSlow: Effect { .unsent("\(address.server) takes less than is said") }

    mutating func expirePath(_ now: Duration) -> [Effect] { path?.expire(now) == true ? tunnel(now) : [] }

    /// The socket for datagrams has failed, as it does without a route. The next one that is sent, which is a
    /// ping, opens another one.
    public mutating func lostDatagrams(_ now: Duration) -> [Effect] {
        path?.fail()
        return isJoined && path != nil ? tunnel(now) : []
    }

    /// A tunnelled packet has the server send what it sends through the tunnel too.
    private mutating func tunnel(_ now: Duration) -> [Effect] {
        way = .tunnel
        let tunnelled = send(.tunnel(format.encode(.ping(now.nanoseconds))))
        // The connection may be gone too, which what is said would not show for long.
        return [tunnelled] + (isTalking ? ping(now) : [])
    }

    mutating func duePings(_ now: Duration) -> [Effect] {
        guard isJoined else { return [] }
        let isDue = nextPing.map { $0 <= now } ?? false
        let isDatagramDue = nextDatagramPing.map { $0 <= now } ?? false
        return (isDue ? ping(now) : []) + (isDatagramDue ? datagramPing(now) : [])
    }

    mutating func ping(_ now: Duration) -> [Effect] {
        nextPing = now + Self.pingInterval
        let limit = now + (isTalking ? Self.talkingAnswerLimit : Self.answerLimit)
        // One that was sent before somebody talked may have longer.
        answerDue = min(answerDue ?? limit, limit)
        return [send(.ping(WirePing.with { $0.timestamp = now.nanoseconds }))]
    }

    /// Together with the ping by TCP, so that one wake-up does for both.
    mutating func datagramPing(_ now: Duration) -> [Effect] {
        let format = format
        guard let packet = path?.ping(format, now) else { return [] }
        nextDatagramPing = isTalking ? now + Self.talkingPingInterval : nextPing
        return [.sendDatagram(packet)]
    }
}
