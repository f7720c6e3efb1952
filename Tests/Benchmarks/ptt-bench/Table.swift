import Glibc

/// The table that the benchmark prints: one figure a line, beside what it is compared with.
struct Table {
    /// The limit of a figure.
    enum Limit {
        /// The ratio of ours to the other.
        case ratio(Double)
        /// Our own figure, in the unit of the line.
        case figure(Double)
        /// Only printed.
        case none
    }

    enum Unit: String {
        case microseconds = "µs"
        case milliseconds = "ms"
        case megabytes = "MB"
        case times = ""
    }

    /// The figure that ours is compared with.
    struct Comparison {
        let name: String
        let value: Double
    }

    private(set) var misses = 0
    /// True if something was missed that no other load on the machine explains.
    private(set) var hasFailed = false

    func printHeader() {
        printLine("", "ours", "the other", "ratio", "limit", "verdict")
    }

    func printSection(_ title: String) {
        write("\n\(title)")
    }

    mutating func printFigure(
        _ what: String,
        _ value: Double,
        in unit: Unit,
        beside other: Comparison? = nil,
        limit: Limit = .none
    ) {
        let ratio = other.map { value / $0.value }
        let isKept: Bool? =
            switch limit {
            case .ratio(let most): ratio.map { $0 <= most }
            case .figure(let most): value <= most
            case .none: nil
            }
        if isKept == false { misses += 1 }
        let limitText =
            switch limit {
            case .ratio(let most): "≤ \(decimal(most, 2)) ×"
            case .figure(let most): "≤ \(text(most, unit))"
            case .none: ""
            }
        printLine(
            "  " + what,
            text(value, unit),
            other.map { "\(text($0.value, unit)) \($0.name)" } ?? "",
            ratio.map { decimal($0, 2) } ?? "",
            limitText,
            isKept.map { $0 ? "kept" : "MISSED" } ?? ""
        )
    }

    /// Median and 99th percentile; the limit is the median's.
    mutating func printTimes(
        _ what: String,
        _ ours: Samples,
        in unit: Unit,
        named name: String,
        beside other: Samples,
        limit: Limit = .none
    ) {
        for (label, share, limit) in [("median", 0.5, limit), ("p99", 0.99, .none)] {
            printFigure(
                "\(what), \(label)",
                number(ours.quantile(share), unit),
                in: unit,
                beside: Comparison(name: name, value: number(other.quantile(share), unit)),
                limit: limit
            )
        }
    }

    func printNote(_ text: String) {
        write("  " + text)
    }

    mutating func countFailure() {
        misses += 1
        hasFailed = true
    }

    private func printLine(_ columns: String...) {
        printLine(columns, widths: [54, 10, 26, 8, 10, 8])
    }

    func printLine(_ columns: [String], widths: [Int]) {
        var line = ""
        for (column, width) in zip(columns, widths) {
            let padding = String(repeating: " ", count: max(1, width - column.count))
            line += column + padding
        }
        while line.last == " " { line.removeLast() }
        write(line)
    }

    private func number(_ time: Duration, _ unit: Unit) -> Double {
        switch unit {
        case .microseconds: time / .microseconds(1)
        case .milliseconds: time / .milliseconds(1)
        case .megabytes, .times: preconditionFailure("a time in \(unit)")
        }
    }

    private func text(_ value: Double, _ unit: Unit) -> String {
        switch unit {
        case .microseconds, .milliseconds: decimal(value, 1) + " " + unit.rawValue
        case .megabytes: decimal(value, 2) + " " + unit.rawValue
        case .times: decimal(value, 0)
        }
    }
}

/// A number with this many digits after the decimal point.
func decimal(_ value: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((value * Double(scale)).rounded())
    guard digits > 0 else { return "\(scaled)" }
    let fraction = "\(abs(scaled) % scale)"
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(scaled < 0 ? "-" : "")\(abs(scaled) / scale).\(zeros)\(fraction)"
}

/// Unbuffered: the table can be read while it grows, also through a pipe.
func write(_ line: String) {
    let text = line + "\n"
    // The benchmark continues without a reader.
    _ = Glibc.write(STDOUT_FILENO, text, text.utf8.count)
}
