/// How long to wait before the next attempt: at once, then half a second, then twice as long each time.
struct Backoff: Sendable {
    static let longest = Duration.seconds(30)
    /// Between attempts that come no further than a packet, which cost nobody anything, because a server that
    /// is started again is to be found soon.
    static let spacing = Duration.milliseconds(500)
    /// For so long: the machine of the server may have been started again, too.
    static let patience = Duration.seconds(120)

    private var failures = 0
    /// Since when the server is not reached.
    private var unreached: Duration?

    /// - Parameters:
    ///   - isReached: True if the server has accepted the connection: it counts those.
    ///   - now: The time.
    /// - Returns: How long to wait.
    mutating func next(isReached: Bool, _ now: Duration) -> Duration {
        let since = unreached ?? now
        unreached = since
        if !isReached, failures > 0, now - since < Self.patience { return Self.spacing }
        defer { failures = min(failures + 1, 10) }
        guard failures > 0 else { return .zero }
        return min(Self.longest, .milliseconds(500) * (1 << (failures - 1)))
    }

    /// The server has let us in. If it drops us soon that may be its wish, so that it is not tried at once,
    /// nor as late as one that stays away: ``ConnectionLimit`` bounds what it counts.
    mutating func joined() {
        unreached = nil
        failures = min(failures, 2)
    }

    mutating func reset() { self = Backoff() }
}
