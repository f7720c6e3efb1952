/// When to act upon changes of the network. They come in bursts, as an address with its routes, and one act
/// is for all of them.
struct NetworkReaction: Sendable {
    /// Until the burst is over. An address without its routes is of no use.
    static let settling = Duration.milliseconds(100)
    /// From one act to the next, however many changes there are.
    static let spacing = Duration.milliseconds(500)

    private(set) var due: Duration?
    private var last: Duration?

    mutating func request(_ now: Duration) {
        due = due ?? max(now + Self.settling, last.map { $0 + Self.spacing } ?? now)
    }

    /// - Returns: True if it is time to act.
    mutating func take(_ now: Duration) -> Bool {
        guard let due, due <= now else { return false }
        self.due = nil
        last = now
        return true
    }
}

/// How often connections to each server are made. A server bans an address for five minutes that connects
/// more than ten times within two minutes, successfully or not (`autobanAttempts` in its configuration).
struct ConnectionLimit: Sendable {
    static let count = 8
    static let period = Duration.seconds(120)

    private var times: [String: [Duration]] = [:]

    /// A connection by TCP stands.
    mutating func connected(_ server: String, _ now: Duration) {
        times[server] = (times[server] ?? []).suffix(Self.count - 1) + [now]
    }

    /// When the next attempt may be made.
    func earliest(_ server: String, _ now: Duration) -> Duration {
        guard let times = times[server], times.count == Self.count, let first = times.first else {
            return now
        }
        return max(now, first + Self.period)
    }
}
