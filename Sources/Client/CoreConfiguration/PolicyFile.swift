import EventLoop
package import PTTCore
import PTTMessages
import TOML

/// A `policy.toml`, every key optional.
package struct PolicyFile: Equatable, Decodable {
    package var allow: [String]?
    package var deny: [String]?
    package var exclude: [String]?
    package var closed: [ClosedTime]?

    private static let sizeLimit = 64 * 1024

    /// The machine's, and the user's. All that exist apply.
    package static var paths: [String] { ConfigurationFile.paths("pushtotalk/policy.toml") }

    /// - Returns: Nil if there is no such file.
    package static func load(_ path: String) throws -> PolicyFile? {
        guard let text = try TextFile.read(path, limit: sizeLimit) else {
            if case .isBroken(let link) = FileWatch.target(of: path) {
                throw TOMLError(place: nil, reason: "\(link) is a link to a file that does not exist")
            }
            return nil
        }
        let file = try TOML.decode(PolicyFile.self, from: text)
        for time in file.closed ?? [] { try time.check() }
        return file
    }
}

/// A period in which no channel may be joined: days of the week and times of day, in local time. If `to` is
/// before `from`, it ends on the next day.
package struct ClosedTime: Equatable, Decodable {
    /// `mon` to `sun`; all if left out.
    package var days: [String]?
    /// `22:00`
    package let from: String
    /// `06:00`
    package let to: String

    fileprivate static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    package func check() throws {
        for day in days ?? [] where !Self.names.contains(day) {
            let reason = "\(day) is not a day: use \(Self.names.joined(separator: ", "))"
            throw TOMLError(place: nil, reason: reason)
        }
        for time in [from, to] where Self.minutes(time) == nil {
            throw TOMLError(place: nil, reason: "\(time) is not a time of day: write it as 22:00")
        }
        if from == to {
            let reason = "from \(from) to \(to) is empty: a whole day is from 00:00 to 24:00"
            throw TOMLError(place: nil, reason: reason)
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

    /// Beginnings and ends in minutes of the week, one per day.
    fileprivate var spans: [(begin: Int, end: Int)] {
        guard let from = Self.minutes(from), let to = Self.minutes(to) else { return [] }
        return (days ?? Self.names).compactMap { Self.names.firstIndex(of: $0) }.map { day in
            let begin = day * WeekTime.day + from
            return (begin, begin + (to > from ? to - from : to - from + WeekTime.day))
        }
    }
}

/// A minute of the week in local time, from Monday 00:00.
package struct WeekTime: Equatable {
    package static let day = 24 * 60
    package static let week = 7 * day

    package let minute: Int

    /// The weekday is 0 for Sunday, as in `struct tm`, and the minute that of the day.
    package init(weekday: Int, minute: Int) {
        self.minute = (weekday + 6) % 7 * Self.day + minute
    }
}

/// The rules of all policy files. What any of them forbids is forbidden.
package struct PolicyRules: Equatable {
    package var files: [PolicyFile]

    package init(files: [PolicyFile]) {
        self.files = files
    }

    package func policy(at time: WeekTime) -> Policy {
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

    /// Returns true if a closed time includes this minute.
    package func isClosed(at time: WeekTime) -> Bool {
        spans.contains { span in
            // A span may cross the end of the week.
            [time.minute, time.minute + WeekTime.week].contains { $0 >= span.begin && $0 < span.end }
        }
    }

    /// The minutes from `time` until the next closed time begins or ends; nil if there are no closed times.
    package func minutesToNextChange(after time: WeekTime) -> Int? {
        spans.flatMap { [$0.begin, $0.end] }.map { edge in
            let distance = (edge - time.minute) % WeekTime.week
            return distance <= 0 ? distance + WeekTime.week : distance
        }.min()
    }

    private var spans: [(begin: Int, end: Int)] {
        files.flatMap { $0.closed ?? [] }.flatMap(\.spans)
    }
}
