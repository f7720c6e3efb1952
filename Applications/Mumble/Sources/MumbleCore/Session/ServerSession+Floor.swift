import FoundationEssentials
import SwiftProtobuf

// The floor where the channel has it granted before anything is sent.
extension ServerSession {
    /// True if our voice is sent: it waits for neither the path nor the floor.
    public var hasFloor: Bool { !outgoing.isBlocked && !outgoing.isUngranted }

    /// The server passes messages between clients on.
    private var passesMessages: Bool { serverVersion >= 1 << 48 | 4 << 32 }

    /// - Returns: How it is decided in a channel who talks, and what the server has to be asked for it.
    mutating func rule(of channel: UInt32) -> [Effect] {
        var effects: [Effect] = []
        let wanted = directory.channels[channel]?.rule ?? .first
        let possible = wanted == .granted && !passesMessages ? FloorRule.first : wanted
        if possible != wanted, wanted != self.wanted {
            let old = "\(address.server) is older than 1.4 and passes no requests for the floor"
            effects.append(.note("\(old): \(FloorRule.first.text)", about: .channel))
        }
        self.wanted = wanted
        rule = possible
        effects.append(.rule(possible))
        // Of a long description it has told only that there is one.
        guard directory.ask(for: channel) else { return effects }
        return effects + [send(.requestBlob(.with { $0.channelDescription = [channel] }))]
    }

    /// Our programs in the channel, without us.
    private var members: [UInt32] {
        directory.people.keys.filter { $0 != session && isOurs($0) && isHere($0) }
    }

    // MARK: We ask

    /// Our voice waits for the answer. An emergency asks nobody.
    mutating func requestFloor(_ now: Duration) -> [Effect] {
        guard isTalking, !isEmergency else {
            control.cancel()
            outgoing.isUngranted = false
            return []
        }
        guard rule == .granted, isJoined, stepLimit == nil, control.request == nil, let session,
            let arbitrator = control.arbitrator(among: members + [session], now)
        else { return [] }
        guard arbitrator != session else {
            return control.holder(for: session, now).map { denied($0) } ?? []
        }
        outgoing.isUngranted = true
        let name = name(of: arbitrator) ?? "somebody"
        return [
            send(control.ask(arbitrator, now), to: arbitrator),
            .note("\(name) is asked for the floor", about: .floor),
        ]
    }

    private mutating func granted(_ now: Duration) -> [Effect] {
        outgoing.isUngranted = false
        return flush(now)
    }

    /// Nothing more is sent of what was said, whatever the answer to our request is.
    public mutating func withdraw() {
        control.cancel()
        outgoing.isUngranted = false
        outgoing.drop()
    }

    private mutating func denied(_ holder: UInt32) -> [Effect] {
        withdraw()
        // Until the transmission has ended we do not have the floor.
        isTalking = false
        return [.denied(session: holder)]
    }

    private func send(_ message: FloorMessage, to session: UInt32) -> Effect {
        let transmission = WirePluginDataTransmission.with {
            $0.receiverSessions = [session]
            $0.dataID = FloorMessage.identifier
            $0.data = .init(message.data)
        }
        return send(.pluginData(transmission))
    }

    // MARK: What others say

    /// Only our programs in the channel are listened to.
    mutating func received(_ transmission: WirePluginDataTransmission, _ now: Duration) -> [Effect] {
        let sender = transmission.senderSession
        guard isJoined, stepLimit == nil, sender != session, transmission.dataID == FloorMessage.identifier,
            isOurs(sender), isHere(sender), let message = FloorMessage(Array(transmission.data))
        else { return [] }
        switch message.kind {
        case .request: return answer(message, from: sender, now)
        case .granted: return control.isAnswer(message, from: sender, now) ? granted(now) : []
        case .denied:
            // Nobody can have the floor who is not here.
            guard message.holder != session, isHere(message.holder),
                control.isAnswer(message, from: sender, now)
            else { return [] }
            return denied(message.holder)
        }
    }

    private func isHere(_ person: UInt32) -> Bool {
        guard let own = session.flatMap({ directory.people[$0] }) else { return false }
        return directory.people[person]?.channel == own.channel
    }

    /// Whoever asks takes us for the arbitrator.
    private mutating func answer(_ request: FloorMessage, from sender: UInt32, _ now: Duration) -> [Effect] {
        guard control.mayAnswer(now) else { return [] }
        let isTaken = isTalking && control.request == nil
        let holder = isTaken ? session : control.holder(for: sender, now)
        guard let holder else {
            control.grant(sender, now)
            return [send(FloorMessage(kind: .granted, sequence: request.sequence), to: sender)]
        }
        let denial = FloorMessage(kind: .denied, sequence: request.sequence, holder: holder)
        return [send(denial, to: sender)]
    }

    // MARK: Nobody answers

    mutating func expireFloor(_ now: Duration) -> [Effect] {
        guard let silent = control.expire(now) else { return [] }
        let name = name(of: silent) ?? "somebody"
        return [.note("\(name) does not answer for the floor", about: .floor)] + granted(now)
    }

    mutating func floorLeft(_ person: UInt32, _ now: Duration) -> [Effect] {
        control.left(person) ? granted(now) : []
    }
}
