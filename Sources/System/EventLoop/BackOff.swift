/// How long to wait before the next attempt: doubling from a first delay to a limit.
package struct BackOff: Equatable, Sendable {
    private let first: Duration
    private let limit: Duration
    private var upcoming: Duration

    package init(first: Duration = .milliseconds(100), limit: Duration = .seconds(5)) {
        self.first = first
        self.limit = limit
        upcoming = first
    }

    /// The delay before the next attempt.
    package mutating func next() -> Duration {
        defer { upcoming = min(upcoming + upcoming, limit) }
        return upcoming
    }

    /// Starts over, after a success.
    package mutating func reset() {
        upcoming = first
    }
}
