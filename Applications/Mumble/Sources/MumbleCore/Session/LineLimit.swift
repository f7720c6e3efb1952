/// The subject of a line of the journal.
public enum Topic: Hashable, Sendable {
    case connection
    case permission
    case channel
    case floor
    case talker
    case emergency
}

/// How many lines there may be of each topic. Others on the server cause most of them, and those of one topic
/// are not to hide another one.
public struct LineLimit: Sendable {
    static let burst = 50
    static let spacing = Duration.seconds(1)

    private struct State {
        var limit = RateLimit(burst: LineLimit.burst, spacing: LineLimit.spacing)
        var omitted = 0
    }

    private var states: [Topic: State] = [:]

    public init() {}

    /// - Returns: The line, after a count of those left out before it; empty if it is left out as well.
    public mutating func lines(_ text: String, about topic: Topic, _ now: Duration) -> [String] {
        var state = states[topic] ?? State()
        defer { states[topic] = state }
        guard state.limit.take(now) else {
            state.omitted += 1
            return []
        }
        let omitted = state.omitted
        state.omitted = 0
        return (omitted == 0 ? [] : ["\(omitted) lines as the next one were left out"]) + [text]
    }
}

/// How often something is done that others cause: so often at once, and again after each spacing.
struct RateLimit: Sendable {
    let burst: Int
    let spacing: Duration
    /// When all of the burst is available again.
    private var replenished = Duration.zero

    init(burst: Int, spacing: Duration) {
        (self.burst, self.spacing) = (burst, spacing)
    }

    /// - Returns: True if it may be done; it counts as done then.
    mutating func take(_ now: Duration) -> Bool {
        let next = max(replenished, now) + spacing
        guard next - now <= spacing * burst else { return false }
        replenished = next
        return true
    }
}
