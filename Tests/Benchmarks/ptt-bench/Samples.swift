/// Times of one kind, in the order in which they were measured.
struct Samples {
    private(set) var times: [Duration] = []

    mutating func add(_ time: Duration) { times.append(time) }

    /// - Parameter share: 0.5 for the median, 0.99 for the 99th percentile.
    /// - Returns: The time that this share of the samples stays below.
    func quantile(_ share: Double) -> Duration {
        let sorted = times.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
}
