/// How long to wait before the next attempt: doubling from a first delay to a limit.
public struct BackOff: Equatable, Sendable {
    private let first: Duration
    private let limit: Duration
    private var upcoming: Duration

    public init(first: Duration = .milliseconds(100), limit: Duration = .seconds(5)) {
        self.first = first
        self.limit = limit
        upcoming = first
    }

    /// The delay before the next attempt.
    public mutating func next() -> Duration {
        defer { upcoming = min(upcoming + upcoming, limit) }
        return upcoming
    }

    /// Starts over, after a success.
    public mutating func reset() {
        upcoming = first
    }
}
