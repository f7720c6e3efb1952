/// How long to wait before the next attempt: at once, then half a second, then twice as long each time.
struct Backoff: Sendable {
    static let longest = Duration.seconds(30)

    private var failures = 0

    mutating func next() -> Duration {
        defer { failures = min(failures + 1, 10) }
        guard failures > 0 else { return .zero }
        return min(Self.longest, .milliseconds(500) * (1 << (failures - 1)))
    }

    mutating func reset() { failures = 0 }
}
