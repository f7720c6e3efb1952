/// Who talks: at most one at a time, in the words of 3GPP TS 24.380. Mumble's servers have no floor, so that
/// each client decides by what it hears: who is heard has the floor, and a press meanwhile is refused by
/// `pttd`.
public struct Floor: Sendable {
    public enum State: Hashable, Sendable {
        case idle
        /// We transmit, and nothing of it has been sent.
        case requested
        /// We transmit, and are heard since.
        case granted(since: Duration)
        /// We have given way: the transmission is being ended.
        case denied
        case taken(Talker)
    }

    public struct Talker: Hashable, Sendable {
        public let session: UInt32
        let since: Duration
        var heard: Duration
        /// What was said is still being played.
        var isEnding = false
    }

    public enum Effect: Hashable, Sendable {
        /// Show this person as the one who talks.
        case taken(session: UInt32)
        /// Play the packet.
        case play
        /// Play what there is to its end, then call ``Floor/played()``.
        case finish
        /// Nobody talks any more.
        case idle
        /// End our transmission: this person goes first.
        case giveWay(session: UInt32)
    }

    /// After so long without a packet, somebody has stopped talking, because the packet that says so may get
    /// lost. Longer than packets are late, and shorter than what feels like waiting.
    static let silence = Duration.milliseconds(300)
    /// Two who begin within this time have not heard each other when they began: twice a long way to a server
    /// and to each other, with what playing adds.
    static let collision = Duration.seconds(1)

    public private(set) var state = State.idle

    public init() {}

    /// Ours, and somebody else's: by these, all of our programs decide alike.
    public struct Sender: Sendable {
        let session: UInt32
        let isOurs: Bool
        let isEmergency: Bool

        public init(session: UInt32, isOurs: Bool, isEmergency: Bool = false) {
            (self.session, self.isOurs, self.isEmergency) = (session, isOurs, isEmergency)
        }

        /// An emergency goes first at any time. Of two who began together it is the lower session among our
        /// programs; others do not know of it.
        func goesBefore(_ other: Sender, isCollision: Bool) -> Bool {
            guard isEmergency == other.isEmergency else { return isEmergency }
            return isCollision && isOurs && other.isOurs && session < other.session
        }
    }

    // MARK: We

    public mutating func transmissionBegan() { state = .requested }

    /// The first packet is on its way.
    public mutating func sent(_ now: Duration) {
        if state == .requested { state = .granted(since: now) }
    }

    public mutating func transmissionEnded() {
        switch state {
        case .requested, .granted, .denied: state = .idle
        case .idle, .taken: break
        }
    }

    // MARK: Others

    /// Somebody is heard.
    ///
    /// - Parameters:
    ///   - sender: Who is heard.
    ///   - isLast: Whether the packet is the last one of what is said.
    ///   - rival: Whoever has the floor, by the session.
    ///   - own: We; nil while the server has not told our session.
    ///   - now: The time.
    /// - Returns: What is to be done.
    public mutating func heard(
        _ sender: Sender,
        isLast: Bool,
        rival: (UInt32) -> Sender,
        own: Sender?,
        _ now: Duration
    ) -> [Effect] {
        switch state {
        case .idle:
            // The end of what was not heard.
            return isLast ? [] : take(sender, now)
        case .taken(var talker) where talker.session == sender.session:
            talker.heard = now
            talker.isEnding = isLast
            state = .taken(talker)
            return isLast ? [.play, .finish] : [.play]
        case .taken(let talker):
            let isCollision = now - talker.since < Self.collision
            let goesFirst = sender.goesBefore(rival(talker.session), isCollision: isCollision)
            return goesFirst && !isLast ? take(sender, now) : []
        case .requested:
            return giveWay(sender, isLast, own, isCollision: true)
        case .granted(let since):
            return giveWay(sender, isLast, own, isCollision: now - since < Self.collision)
        case .denied:
            return []
        }
    }

    private mutating func take(_ sender: Sender, _ now: Duration) -> [Effect] {
        state = .taken(Talker(session: sender.session, since: now, heard: now))
        return [.taken(session: sender.session), .play]
    }

    private mutating func giveWay(
        _ sender: Sender,
        _ isLast: Bool,
        _ own: Sender?,
        isCollision: Bool
    ) -> [Effect] {
        guard let own, !isLast, sender.goesBefore(own, isCollision: isCollision) else { return [] }
        state = .denied
        return [.giveWay(session: sender.session)]
    }

    /// Somebody is not there any more.
    public mutating func left(session: UInt32) -> [Effect] {
        guard case .taken(let talker) = state, talker.session == session, !talker.isEnding else { return [] }
        return finish(talker)
    }

    /// The connection is gone.
    public mutating func disconnected() -> [Effect] {
        guard case .taken(let talker) = state, !talker.isEnding else { return [] }
        return finish(talker)
    }

    /// All that was said has been played, or cannot be.
    public mutating func played() -> [Effect] {
        guard case .taken(let talker) = state, talker.isEnding else { return [] }
        state = .idle
        return [.idle]
    }

    // MARK: Time

    /// When ``timer(_:)`` is to be called.
    public var deadline: Duration? {
        guard case .taken(let talker) = state, !talker.isEnding else { return nil }
        return talker.heard + Self.silence
    }

    public mutating func timer(_ now: Duration) -> [Effect] {
        guard case .taken(let talker) = state, let deadline, deadline <= now else { return [] }
        return finish(talker)
    }

    private mutating func finish(_ talker: Talker) -> [Effect] {
        var talker = talker
        talker.isEnding = true
        state = .taken(talker)
        return [.finish]
    }
}
