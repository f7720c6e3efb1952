/// The floor where it is granted before anything is sent. Of our programs in a channel the one with the
/// lowest session arbitrates. Nothing depends on it for long: who gets no answer talks by what is heard, as
/// ``Floor`` has it, which also decides between two who were granted the floor by different arbitrators.
struct FloorControl: Sendable {
    /// A request that was not answered for so long counts as granted: longer than two ways to a server and
    /// back, and shorter than what waits for the path.
    static let answerLimit = Duration.milliseconds(400)
    /// Who was granted the floor has it for so long without being heard: the microphone of a Bluetooth
    /// headset takes a while to open.
    static let promiseLimit = Duration.seconds(3)
    /// An arbitrator that does not answer, or denies for somebody who is not heard, is not asked for so long.
    static let distrust = Duration.seconds(60)

    /// Our request that is not answered.
    struct Request: Hashable, Sendable {
        let arbitrator: UInt32
        let sequence: UInt32
        let limit: Duration
    }

    private(set) var request: Request?
    private var sequence: UInt32 = 0
    /// To whom we have granted the floor, until that one is heard.
    private var promise: (session: UInt32, limit: Duration)?
    /// Who is to be heard because an arbitrator has denied us the floor.
    private var claim: (session: UInt32, by: UInt32, limit: Duration)?
    /// Who was granted the floor and not heard: it is reserved for them no more.
    private var silent: Set<UInt32> = []
    private var distrusted: [UInt32: Duration] = [:]
    /// Who is heard.
    private var voice: (session: UInt32, limit: Duration)?
    /// A server drops more than 15 at once and four in a second.
    private var answers = RateLimit(burst: 10, spacing: .milliseconds(333))

    // MARK: We ask

    /// - Parameters:
    ///   - members: The sessions of our programs in the channel, with our own.
    ///   - now: The time.
    /// - Returns: Who arbitrates.
    func arbitrator(among members: [UInt32], _ now: Duration) -> UInt32? {
        members.filter { distrusted[$0, default: .zero] <= now }.min()
    }

    mutating func ask(_ arbitrator: UInt32, _ now: Duration) -> FloorMessage {
        sequence &+= 1
        request = Request(arbitrator: arbitrator, sequence: sequence, limit: now + Self.answerLimit)
        return FloorMessage(kind: .request, sequence: sequence)
    }

    /// - Returns: True if this is the answer to our request, which is over then.
    mutating func isAnswer(_ message: FloorMessage, from session: UInt32, _ now: Duration) -> Bool {
        guard let request, request.arbitrator == session, request.sequence == message.sequence else {
            return false
        }
        self.request = nil
        if message.kind == .denied, voice?.session != message.holder {
            claim = (message.holder, session, now + Self.promiseLimit)
        }
        return true
    }

    mutating func cancel() { request = nil }

    // MARK: Others ask

    /// - Parameters:
    ///   - session: Who asks.
    ///   - now: The time.
    /// - Returns: Who else has the floor.
    mutating func holder(for session: UInt32, _ now: Duration) -> UInt32? {
        if let promise, promise.limit <= now {
            silent.insert(promise.session)
            self.promise = nil
        }
        let holders = [voice.flatMap { $0.limit > now ? $0.session : nil }, promise?.session]
        return holders.compactMap(\.self).first { $0 != session }
    }

    mutating func grant(_ session: UInt32, _ now: Duration) {
        guard promise == nil, !silent.contains(session) else { return }
        promise = (session, now + Self.promiseLimit)
    }

    /// - Returns: True if the server would pass on an answer.
    mutating func mayAnswer(_ now: Duration) -> Bool { answers.take(now) }

    // MARK: What happens

    mutating func heard(_ session: UInt32, isLast: Bool, _ now: Duration) {
        silent.remove(session)
        if promise?.session == session { promise = nil }
        if claim?.session == session { claim = nil }
        if let voice, voice.session != session, voice.limit > now { return }
        voice = isLast ? nil : (session, now + Floor.silence)
    }

    /// - Returns: True if our request was to this one.
    mutating func left(_ session: UInt32) -> Bool {
        silent.remove(session)
        distrusted[session] = nil
        if promise?.session == session { promise = nil }
        if claim?.session == session || claim?.by == session { claim = nil }
        guard request?.arbitrator == session else { return false }
        request = nil
        return true
    }

    /// When ``expire(_:)`` is to be called.
    var deadline: Duration? { [request?.limit, claim?.limit].compactMap(\.self).min() }

    /// - Returns: Who has not answered our request.
    mutating func expire(_ now: Duration) -> UInt32? {
        if let claim, claim.limit <= now {
            distrusted[claim.by] = now + Self.distrust
            self.claim = nil
        }
        guard let request, request.limit <= now else { return nil }
        distrusted[request.arbitrator] = now + Self.distrust
        self.request = nil
        return request.arbitrator
    }
}
