/// Who talks, in the words of 3GPP TS 24.380. Mumble's servers have no floor, so that each client decides by
/// what it hears: who is heard has the floor, and a press meanwhile is refused by `pttd`.
public struct Floor: Sendable {
    public enum State: Hashable, Sendable {
        case idle
        /// We transmit, and nothing of it has been sent.
        case requested
        /// We transmit, and are heard since.
        case granted(since: Duration)
        /// We have given way, or somebody else was granted the floor: the transmission is being ended.
        case denied
        case taken(session: UInt32)
    }

    /// Whose words are played.
    struct Talker: Hashable, Sendable {
        let session: UInt32
        let since: Duration
        var heard: Duration
        /// All is here that is said, and its rest is being played. Somebody else may have the floor by now.
        var isEnding = false
    }

    public enum Effect: Hashable, Sendable {
        /// Show this person as the one who talks.
        case taken(session: UInt32)
        /// Play the packet, which is of this person, together with what others say.
        case play(session: UInt32)
        /// Keep the packet until this person is taken or dropped.
        case keep(session: UInt32)
        /// Play what there is of this person to its end, then call ``Floor/played(session:)``.
        case finish(session: UInt32)
        /// Play no more of this person.
        case drop(session: UInt32)
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
    /// Who has the floor may have lost it if nothing came for so long: what somebody else says is kept then
    /// until that is known.
    static let gap = Duration.milliseconds(40)
    /// Of whom words are played at the same time.
    static let limit = 4

    /// True if all who talk are heard, and we may talk meanwhile.
    public private(set) var isFullDuplex = false

    /// While we transmit: requested, granted or denied.
    private var own: State?
    /// In the order in which they began; unless in full duplex, all but one of them are ending.
    private(set) var talkers: [Talker] = []
    /// Who has begun while the one who has the floor is not heard, or while our transmission is being ended.
    private var waiting: Talker?
    /// Who is shown.
    public private(set) var shown: UInt32?

    public init() {}

    public var state: State { own ?? shown.map { .taken(session: $0) } ?? .idle }

    /// Who has the floor; in full duplex there are several.
    private var holders: [Talker] { talkers.filter { !$0.isEnding } }
    private var holder: Talker? { holders.first }

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

    /// Unless in full duplex, nobody else is played any more.
    public mutating func transmissionBegan() {
        own = .requested
        guard !isFullDuplex else { return }
        (talkers, waiting, shown) = ([], nil, nil)
    }

    /// The first packet is on its way.
    public mutating func sent(_ now: Duration) {
        if own == .requested { own = .granted(since: now) }
    }

    /// Somebody else has been granted the floor.
    public mutating func deny() {
        if own != nil { own = .denied }
    }

    /// - Returns: The effects: somebody who waits for our end may be heard now.
    public mutating func transmissionEnded() -> [Effect] {
        own = nil
        return takeWaiting()
    }

    /// Sets whether all who talk are heard. If not, the one who is shown goes on.
    public mutating func setFullDuplex(_ isFullDuplex: Bool) -> [Effect] {
        self.isFullDuplex = isFullDuplex
        guard !isFullDuplex else { return dropWaiting() }
        return holders.filter { $0.session != shown }.flatMap { drop($0.session) }
    }

    // MARK: Others

    /// Somebody is heard.
    ///
    /// - Parameters:
    ///   - sender: Who is heard.
    ///   - isLast: True if the packet is the sender's last one.
    ///   - rival: Whoever has the floor, by the session.
    ///   - own: We; nil while the server has not told our session.
    ///   - now: The time.
    /// - Returns: The effects. Without ``Effect/play(session:)`` and ``Effect/keep(session:)`` the packet is
    ///   left out.
    public mutating func heard(
        _ sender: Sender,
        isLast: Bool,
        rival: (UInt32) -> Sender,
        own: Sender?,
        _ now: Duration
    ) -> [Effect] {
        guard !isFullDuplex else { return join(sender, isLast, now) }
        switch state {
        case .requested:
            return giveWay(sender, isLast, own, isCollision: true, now)
        case .granted(let since):
            return giveWay(sender, isLast, own, isCollision: now - since < Self.collision, now)
        case .denied:
            return keep(sender, isLast, Self.gap, now)
        case .idle, .taken:
            break
        }
        guard let holder, holder.session != sender.session else {
            return (isLast ? [] : dropWaiting(for: sender)) + take(sender, isLast, now) + takeWaiting()
        }
        let isCollision = now - holder.since < Self.collision
        guard sender.goesBefore(rival(holder.session), isCollision: isCollision) else {
            return keep(sender, isLast, now - holder.heard, now)
        }
        return isLast ? [] : dropWaiting(for: sender) + drop(holder.session) + take(sender, isLast, now)
    }

    /// Who talks as well. An emergency is heard in any case, and shown.
    private mutating func join(_ sender: Sender, _ isLast: Bool, _ now: Duration) -> [Effect] {
        let isKnown = talkers.contains { $0.session == sender.session }
        let isFull = holders.count == Self.limit && !sender.isEmergency
        return isKnown || !isFull ? take(sender, isLast, now) : []
    }

    private mutating func keep(
        _ sender: Sender,
        _ isLast: Bool,
        _ pause: Duration,
        _ now: Duration
    ) -> [Effect] {
        let isKnown = waiting?.session == sender.session
        let isNew = waiting == nil && !talkers.contains { $0.session == sender.session }
        guard isKnown || (isNew && !isLast && pause >= Self.gap) else { return [] }
        let since = waiting?.since ?? now
        waiting = Talker(session: sender.session, since: since, heard: now, isEnding: isLast)
        return [.keep(session: sender.session)]
    }

    /// The one who has the floor goes on, or another one takes it.
    private mutating func dropWaiting(for sender: Sender? = nil) -> [Effect] {
        guard let waiting else { return [] }
        self.waiting = nil
        return waiting.session == sender?.session ? [] : [.drop(session: waiting.session)]
    }

    /// Nobody has the floor any more.
    private mutating func takeWaiting() -> [Effect] {
        guard let waiting, holder == nil, own == nil else { return [] }
        self.waiting = nil
        let dropped = makeRoom()
        talkers.append(waiting)
        return dropped + show(waiting.session) + (waiting.isEnding ? [.finish(session: waiting.session)] : [])
    }

    /// Somebody goes on, or begins, which may be before the last words of another were played.
    private mutating func take(_ sender: Sender, _ isLast: Bool, _ now: Duration) -> [Effect] {
        let session = sender.session
        if let index = talkers.firstIndex(where: { $0.session == session }) {
            talkers[index].heard = now
            talkers[index].isEnding = isLast
            return (isLast ? [] : show(sender)) + [.play(session: session)]
                + (isLast ? [.finish(session: session)] : [])
        }
        // The end of what was not heard.
        guard !isLast else { return [] }
        let dropped = makeRoom()
        talkers.append(Talker(session: session, since: now, heard: now))
        return dropped + show(sender) + [.play(session: session)]
    }

    /// Drops somebody if as many are played as may be, last words first.
    private mutating func makeRoom() -> [Effect] {
        guard talkers.count >= Self.limit, let excess = talkers.first(where: \.isEnding) ?? talkers.first
        else { return [] }
        return drop(excess.session)
    }

    /// Of several who talk one is shown: who began first, or has an emergency.
    private mutating func show(_ sender: Sender) -> [Effect] {
        guard !isFullDuplex || sender.isEmergency || shown == nil else { return [] }
        return show(sender.session)
    }

    private mutating func show(_ session: UInt32) -> [Effect] {
        guard shown != session else { return [] }
        shown = session
        return [.taken(session: session)]
    }

    private mutating func drop(_ session: UInt32) -> [Effect] {
        talkers.removeAll { $0.session == session }
        if shown == session { shown = nil }
        return [.drop(session: session)]
    }

    private mutating func giveWay(
        _ sender: Sender,
        _ isLast: Bool,
        _ own: Sender?,
        isCollision: Bool,
        _ now: Duration
    ) -> [Effect] {
        guard let own, !isLast, sender.goesBefore(own, isCollision: isCollision) else { return [] }
        self.own = .denied
        return [.giveWay(session: sender.session)] + keep(sender, isLast, Self.gap, now)
    }

    /// Somebody is not there any more.
    public mutating func left(session: UInt32) -> [Effect] { finish { $0.session == session } }

    /// The connection is gone.
    public mutating func disconnected() -> [Effect] { finish { _ in true } }

    /// All that this person has said was played, or cannot be.
    public mutating func played(session: UInt32) -> [Effect] {
        let count = talkers.count
        talkers.removeAll { $0.session == session && $0.isEnding }
        return talkers.count < count ? settle() : []
    }

    /// Nothing is played any more: the rest of what is here will not be heard.
    public mutating func unheard() -> [Effect] {
        talkers.removeAll(where: \.isEnding)
        return settle()
    }

    private mutating func settle() -> [Effect] {
        guard let shown, !talkers.contains(where: { $0.session == shown }) else { return [] }
        if let next = holder ?? talkers.first { return show(next.session) }
        self.shown = nil
        return [.idle]
    }

    // MARK: Time

    /// When ``timer(_:)`` is to be called.
    public var deadline: Duration? {
        talkers.filter { !$0.isEnding }.map { $0.heard + Self.silence }.min()
    }

    public mutating func timer(_ now: Duration) -> [Effect] { finish { $0.heard + Self.silence <= now } }

    private mutating func finish(where isOver: (Talker) -> Bool) -> [Effect] {
        var effects: [Effect] = []
        for index in talkers.indices where !talkers[index].isEnding && isOver(talkers[index]) {
            talkers[index].isEnding = true
            effects.append(.finish(session: talkers[index].session))
        }
        return effects + takeWaiting()
    }
}
