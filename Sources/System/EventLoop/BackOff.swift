/// Exponential back-off: a delay that doubles from attempt to attempt, up to a limit.
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

    /// Returns to the first delay, after a success.
    package mutating func reset() {
        upcoming = first
    }
}
