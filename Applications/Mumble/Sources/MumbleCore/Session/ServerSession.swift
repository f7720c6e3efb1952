import SwiftProtobuf

/// The connection to a server, and what is said through it, as a value: it is told what has happened, with
/// the time since any fixed moment, and returns what is to be done.
public struct ServerSession: Sendable {
    public enum Effect: Sendable, Equatable {
        /// Connect by TCP and TLS, then call ``connected(_:)``, or ``lost(_:by:_:)``.
        case connect
        /// Close the connection, of which nothing more is to be reported.
        case disconnect
        case send([UInt8])
        case sendDatagram([UInt8])
        /// We are in this channel; the name is empty at the root.
        case entered(channel: String)
        /// True if the server passes on our voice.
        case mayTalk(Bool)
        /// How it is decided in the channel who talks.
        case rule(FloorRule)
        case status(Status)
        case heard(VoicePacket)
        /// This person has been granted the floor before us: end our transmission, of which nothing was sent.
        case denied(session: UInt32)
        /// The picture of somebody is here, which ``wantPicture(of:)`` has asked for.
        case pictured(session: UInt32)
        /// An emergency of somebody has begun or ended.
        case emergency(session: UInt32)
        /// Somebody is not on the server any more.
        case left(session: UInt32)
        /// The voice of our transmission cannot be sent: nothing of it is sent any more.
        case unsent(String)
        /// For the person.
        case note(String, about: Topic = .connection)
        /// There is no further attempt.
        case ended(String)
    }

    public enum Status: Hashable, Sendable {
        /// Voice is sent, or will be in a moment.
        case ready
        /// An attempt has failed, and others follow.
        case connecting
    }

    /// The addresses of a connection.
    public struct Ends: Hashable, Sendable {
        let local: IPAddress
        let server: IPAddress

        public init(local: IPAddress, server: IPAddress) {
            (self.local, self.server) = (local, server)
        }
    }

    enum State: Hashable, Sendable {
        case idle
        case connecting(limit: Duration)
        /// Until the server has told everything.
        case authenticating(limit: Duration)
        /// Until we are in the channel.
        case entering(limit: Duration)
        case joined(since: Duration)
        case waiting(until: Duration)
        case ended
    }

    /// By which our programs know each other.
    static let comment = "Push-to-Talk for Linux"
    /// For TCP and TLS, and for each step after it.
    static let stepLimit = Duration.seconds(10)
    /// A server drops a client of which it hears nothing for 30 seconds (`timeout` in its configuration).
    static let pingInterval = Duration.seconds(25)
    static let talkingPingInterval = Duration.seconds(2)
    static let answerLimit = Duration.seconds(10)
    /// While somebody talks here, a path that is gone is to be noticed soon.
    static let talkingAnswerLimit = Duration.seconds(3)
    /// After a change of the network. Once lost, a packet of TCP is sent again within a few round trips.
    static let networkAnswerLimit = Duration.seconds(1)
    /// A server that drops us sooner is not tried again at once.
    static let steady = Duration.seconds(30)

    public internal(set) var address: ServerAddress
    let password: String?
    var state = State.idle
    var backoff = Backoff()
    var splitter = MessageSplitter()
    var directory = Directory()
    var pictures = Pictures()
    var serverVersion: UInt64 = 0
    var path: DatagramPath?
    var outgoing = OutgoingVoice()
    var isTalking = false
    /// True if our transmission is an emergency.
    var isEmergency = false
    /// The rule of the channel's description.
    var wanted = FloorRule.first
    /// The rule in force: ``wanted``, unless the server is too old for it.
    var rule = FloorRule.first
    var control = FloorControl()
    /// When the server has said something first: it knew of the connection by then, and not necessarily
    /// before.
    var firstHeard: Duration?
    var nextPing: Duration?
    var nextDatagramPing: Duration?
    /// Until when the answer to a ping by TCP has to be here.
    var answerDue: Duration?
    /// Our own, once the server has told everything.
    public internal(set) var session: UInt32?
    /// In bits per second, of one client; 0 means no limit.
    var maximumBandwidth = Bandwidth.lowest
    /// The channel in which we are, or are going to be.
    var channel: UInt32?
    /// The channel in which the server has put us.
    var home: UInt32?
    /// Until when the server has to move us from the channel in which we are to another one.
    var stepLimit: Duration?
    /// Of the connection by TCP.
    var ends: Ends?
    var reaction = NetworkReaction()
    var limit: ConnectionLimit
    /// Why it is not in the channel.
    public internal(set) var failure: Failure?
    /// Since it has been in the channel; nil until it is known.
    public internal(set) var way: Way?
    /// Until when a loss is not shown, because what is said waits.
    var bridgeEnd: Duration?

    /// - Parameters:
    ///   - address: Of the server and the channel.
    ///   - password: Of the server.
    ///   - previous: Whose connections count for the limit of a server, too.
    public init(_ address: ServerAddress, password: String? = nil, after previous: ServerSession? = nil) {
        (self.address, self.password) = (address, password)
        limit = previous?.limit ?? ConnectionLimit()
    }

    // MARK: What is asked

    /// When ``timer(_:)`` is to be called.
    public var deadline: Duration? {
        let step: Duration? =
            switch state {
            case .idle, .joined, .ended: nil
            case .connecting(let limit), .authenticating(let limit), .entering(let limit): limit
            case .waiting(let until): until
            }
        let times = [
            step, stepLimit, nextPing, nextDatagramPing, answerDue, path?.deadline, outgoing.deadline,
            reaction.due, bridgeEnd, control.deadline,
        ]
        return times.compactMap(\.self).min()
    }

    /// Of somebody on the server; nil if it did not tell.
    public func name(of session: UInt32) -> String? { directory.people[session]?.name }

    /// Of somebody on the server, as the bytes of a file that nobody has looked at.
    public func picture(of session: UInt32) -> [UInt8]? { pictures.file(of: session) }

    /// Asks the server for a picture that is not here, if the person has one.
    public mutating func wantPicture(of session: UInt32) -> [Effect] {
        guard directory.people[session]?.hasPicture == true, pictures.ask(for: session) else { return [] }
        return [send(.requestBlob(.with { $0.sessionTexture = [session] }))]
    }

    /// True if the comment of this person is the one of our programs.
    public func isOurs(_ session: UInt32) -> Bool { directory.people[session]?.isOurs == true }

    var isJoined: Bool { if case .joined = state { true } else { false } }

    /// True if the server has yet to move us.
    var isMoving: Bool { if case .entering = state { true } else { stepLimit != nil } }

    // MARK: What happens

    public mutating func start(_ now: Duration) -> [Effect] {
        guard state == .idle else { return [] }
        let earliest = limit.earliest(address.server, now)
        guard earliest > now else { return connect(now) }
        state = .waiting(until: earliest)
        let seconds = (earliest - now).components.seconds + 1
        let reason = "\(address.server) is tried in \(seconds) s: servers ban who connects too often"
        return [.note(reason), .status(.connecting)]
    }

    /// TCP is ready. All that is to be said is said at once, without waiting for the server.
    public mutating func connected(_ now: Duration, by ends: Ends? = nil) -> [Effect] {
        guard case .connecting = state else { return [] }
        self.ends = ends
        limit.connected(address.server, now)
        state = .authenticating(limit: now + Self.stepLimit)
        let version = WireVersion.with {
            $0.versionV1 = 1 << 16 | 5 << 8
            $0.versionV2 = 1 << 48 | 5 << 32
            $0.release = "ptt-mumble"
            $0.os = "Linux"
        }
        let authenticate = WireAuthenticate.with {
            $0.username = address.user
            if let password { $0.password = password }
            $0.opus = true
        }
        return [send(.version(version)), send(.authenticate(authenticate))]
    }

    public mutating func received(_ bytes: some Collection<UInt8>, _ now: Duration) -> [Effect] {
        switch state {
        case .idle, .connecting, .waiting, .ended: return []
        case .authenticating, .entering, .joined: break
        }
        firstHeard = firstHeard ?? now
        do throws(MessageSplitter.Failure) {
            let messages = try splitter.split(bytes)
            return messages.flatMap { handle($0, now) }
        } catch {
            return [.disconnect]
                + fail("what \(address.server) sends is not Mumble's (\(error))", .notMumble, now)
        }
    }

    /// The connection is gone, or could not be made.
    public mutating func lost(_ reason: String, by trouble: Trouble = .unreachable, _ now: Duration)
        -> [Effect]
    {
        switch state {
        case .idle, .waiting, .ended: []
        case .connecting, .authenticating, .entering, .joined: fail(reason, trouble, now)
        }
    }

    /// Nothing can be made of this server, as a person has to decide about it.
    public mutating func refuse(_ reason: String, _ trouble: Trouble) -> [Effect] {
        _ = end(reason, trouble)
        return [.disconnect, .ended("\(reason): \(trouble.cure(address).text)")]
    }

    public mutating func timer(_ now: Duration) -> [Effect] {
        let early = endBridge(now) + react(now)
        switch state {
        case .idle, .joined, .ended: break
        case .connecting(let limit), .authenticating(let limit), .entering(let limit):
            if limit <= now {
                return early + [.disconnect] + fail("\(address.server) does not answer", .unreachable, now)
            }
        case .waiting(let until):
            if until <= now { return early + connect(now) + expireVoice(now) }
        }
        if let stepLimit, stepLimit <= now {
            return early + [.disconnect] + fail("\(address.server) does not answer", .unreachable, now)
        }
        if let answerDue, answerDue <= now {
            let isNetwork = outgoing.isHeld && stepLimit == nil
            let since = isNetwork ? "since the network of this machine has changed" : "any more"
            let reason = "\(address.server) does not answer \(since)"
            return early + [.disconnect] + fail(reason, isNetwork ? .network : .unreachable, now)
        }
        return early + expireFloor(now) + expireVoice(now) + expirePath(now) + duePings(now) + flush(now)
    }
}
