import PTTMessages

/// The times within the last ``window``.
struct RecentTimes: Equatable, Sendable {
    static let window = Duration.seconds(10)

    private var times: [MonotonicTime] = []

    /// - Returns: The number of times within the window, including this one.
    mutating func add(_ time: MonotonicTime) -> Int {
        times.removeAll { time - $0 > Self.window }
        times.append(time)
        return times.count
    }

    var last: MonotonicTime? { times.last }
}
