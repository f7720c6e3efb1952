import EventLoop
import PTTCore
import PTTMessages
import TOML

/// A `policy.toml`, every key optional.
struct PolicyFile: Equatable, Codable {
    var allow: [String]?
    var deny: [String]?
    var exclude: [String]?
    var closed: [ClosedTime]?

    private static let sizeLimit = 64 * 1024

    /// A policy that is elsewhere, and not there.
    struct Broken: Error, CustomStringConvertible {
        let link: String

        var description: String { "\(link) is a link to what does not exist" }
    }

    /// - Returns: Nil if there is no such file.
    static func load(_ path: String) throws -> PolicyFile? {
        guard let text = try TextFile.read(path, limit: sizeLimit) else {
            if case .isBroken(let link) = FileWatch.target(of: path) { throw Broken(link: link) }
            return nil
        }
        let file = try TOML.decode(PolicyFile.self, from: text)
        for time in file.closed ?? [] { try time.check() }
        return file
    }
}

/// Days of the week and a time of day, in local time. One that ends before it begins ends on the next day.
struct ClosedTime: Equatable, Codable {
    /// `mon` to `sun`; all if left out.
    var days: [String]?
    /// `22:00`
    let from: String
    /// `06:00`
    let to: String

    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    fileprivate static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    func check() throws {
        for day in days ?? [] where !Self.names.contains(day) {
            throw Mistake(description: "\(day) is no day: use \(Self.names.joined(separator: ", "))")
        }
        for time in [from, to] where Self.minutes(time) == nil {
            throw Mistake(description: "\(time) is no time of day: write it as 22:00")
        }
        if from == to {
            throw Mistake(
                description: "from \(from) to \(to) is no time at all: a whole day is from 00:00 to 24:00"
            )
        }
    }

    fileprivate static func minutes(_ time: String) -> Int? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 2, parts[1].count == 2, !time.contains("+"),
            let hour = Int(parts[0]), let minute = Int(parts[1]), (0...24).contains(hour),
            (0...59).contains(minute), hour < 24 || minute == 0
        else { return nil }
        return hour * 60 + minute
    }

    /// When it begins and ends, in minutes of the week.
    fileprivate var spans: [(begin: Int, end: Int)] {
        guard let from = Self.minutes(from), let to = Self.minutes(to) else { return [] }
        return (days ?? Self.names).compactMap { Self.names.firstIndex(of: $0) }.map { day in
            let begin = day * WeekTime.day + from
            return (begin, begin + (to > from ? to - from : to - from + WeekTime.day))
        }
    }
}

/// A minute of the week in local time, from Monday 00:00.
struct WeekTime: Equatable {
    static let day = 24 * 60
    static let week = 7 * day

    let minute: Int

    /// - Parameters:
    ///   - weekday: 0 for Sunday, as in `struct tm`.
    ///   - minute: Of the day.
    init(weekday: Int, minute: Int) {
        self.minute = (weekday + 6) % 7 * Self.day + minute
    }
}

/// All policy files together. Whatever one of them forbids is forbidden.
struct PolicyRules: Equatable {
    var files: [PolicyFile]

    func policy(at time: WeekTime) -> Policy {
        let allowed = files.compactMap(\.allow)
        return Policy(
            allowed: allowed.first.map { first in
                first.filter { name in allowed.allSatisfy { $0.contains(name) } }
                    .map { ApplicationID(rawValue: $0) }
            },
            denied: files.flatMap { $0.deny ?? [] }.map { ApplicationID(rawValue: $0) },
            excluded: files.flatMap { $0.exclude ?? [] }.map { ApplicationID(rawValue: $0) },
            isClosed: isClosed(at: time)
        )
    }

    private func isClosed(at time: WeekTime) -> Bool {
        spans.contains { span in
            // A span may reach over the end of the week.
            [time.minute, time.minute + WeekTime.week].contains { $0 >= span.begin && $0 < span.end }
        }
    }

    /// How many minutes after `time` a window opens or closes next; nil if there are none.
    func minutesToNextChange(after time: WeekTime) -> Int? {
        spans.flatMap { [$0.begin, $0.end] }.map { edge in
            let distance = (edge - time.minute) % WeekTime.week
            return distance <= 0 ? distance + WeekTime.week : distance
        }.min()
    }

    private var spans: [(begin: Int, end: Int)] {
        files.flatMap { $0.closed ?? [] }.flatMap(\.spans)
    }
}
