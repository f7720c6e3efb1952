import PTTMessages

/// The number of events that the calls of each process may publish: each is sent to every subscriber, who may
/// be slower than the caller. A burst is free, and then one event each hundredth of a second, many times what
/// a hand does. Processes that use it at the same time share it: the bursts of many are together a few times
/// that of one, and for longer they publish no more than one.
struct EventAllowance {
    private static let burst = 48
    static let interval = Duration.milliseconds(10)
    /// The longest time for which what was published while everybody kept up is held against a process.
    private static let longestWait = Duration.seconds(1)
    /// Beyond it, processes whose allowance is whole again are forgotten.
    private static let processLimit = 64

    /// The time at which the allowance of a process is whole again.
    private var ends: [Int32: MonotonicTime] = [:]

    /// Counts the events of a call.
    ///
    /// - Returns: How long the next call of the process is to wait; zero within the allowance.
    mutating func charge(_ events: Int, to process: Int32, at now: MonotonicTime) -> Duration {
        guard events > 0 else { return .zero }
        if ends.count > Self.processLimit { ends = ends.filter { $0.value > now } }
        let free = Self.interval * Self.burst
        let others = ends.count { $0.key != process && $0.value > now }
        let end = max(ends[process] ?? now, now) + Self.interval * (events * (1 + others))
        ends[process] = min(end, now + free + Self.longestWait)
        return min(max(.zero, end - now - free), Self.longestWait)
    }
}
