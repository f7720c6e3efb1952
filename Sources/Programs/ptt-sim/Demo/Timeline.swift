import EventLoop

/// The events of the demonstration and their times, for the table at the end.
struct Timeline {
    private var rows: [(text: String, microseconds: Int64)] = []

    mutating func note(_ text: String, at microseconds: Int64 = MonotonicInstant.now.nanoseconds / 1000) {
        rows.append((text, microseconds))
    }

    /// One line per row: the time since the first row, and since the row before.
    var lines: [String] {
        let sorted = rows.sorted { $0.microseconds < $1.microseconds }
        guard let first = sorted.first else { return [] }
        var before = first
        return sorted.map { row in
            defer { before = row }
            let total = Self.milliseconds(row.microseconds - first.microseconds)
            let step = Self.milliseconds(row.microseconds - before.microseconds)
            return "\(total) ms  (+\(step) ms)  \(row.text)"
        }
    }

    private static func milliseconds(_ microseconds: Int64) -> String {
        let text = "\(microseconds / 1000).\(String(microseconds % 1000 + 1000).dropFirst().prefix(2))"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }
}
