import PTTCore
import PTTMessages
import TOML
import Testing

@testable import CoreConfiguration
@testable import pttd

/// The closed times of policy files, for each minute of a week, against a clock that advances minute by
/// minute.
@Suite struct PolicyWindowTests {
    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    struct Window: Sendable, CustomTestStringConvertible {
        /// As in a file; nil: left out.
        let days: [String]?
        let from: String
        let to: String

        init(_ days: [String]?, from: String, to: String) {
            self.days = days
            self.from = from
            self.to = to
        }

        var testDescription: String { "\(days?.joined(separator: " ") ?? "all days") \(from)–\(to)" }
        var closed: ClosedTime { ClosedTime(days: days, from: from, to: to) }

        /// All minutes of the week that it closes, one by one.
        var minutes: Set<Int> {
            let begin = Self.minutes(from)
            let end = Self.minutes(to)
            var minutes: Set<Int> = []
            for day in 0..<7 where days?.contains(names[day]) ?? true {
                var minute = begin
                repeat {
                    minutes.insert((day * 1440 + minute) % 10_080)
                    minute += 1
                } while minute % 1440 != end % 1440
            }
            return minutes
        }

        private static func minutes(_ text: String) -> Int {
            let parts = text.split(separator: ":").compactMap { Int($0) }
            return parts[0] * 60 + parts[1]
        }
    }

    static let windows = [
        [Window(["mon"], from: "08:00", to: "12:30")],
        [Window(["fri"], from: "22:00", to: "06:00")],
        [Window(["sun"], from: "23:59", to: "00:01")],
        [Window(["sun"], from: "12:00", to: "24:00")],
        [Window(["wed"], from: "00:00", to: "24:00")],
        [Window(nil, from: "22:00", to: "06:00")],
        [Window(nil, from: "00:00", to: "24:00")],
        [Window([], from: "08:00", to: "12:00")],
        [
            Window(["sat", "sun"], from: "00:00", to: "24:00"),
            Window(["mon", "fri"], from: "18:00", to: "07:15"),
        ],
        [Window(["tue"], from: "10:00", to: "11:00"), Window(["tue"], from: "10:30", to: "11:30")],
        [Window(["tue"], from: "10:00", to: "11:00"), Window(["tue"], from: "11:00", to: "12:00")],
    ]

    @Test(arguments: windows) func `a window closes exactly its minutes`(windows: [Window]) {
        let rules = PolicyRules(files: [PolicyFile(closed: windows.map(\.closed))])
        let expected = Self.expected(windows)
        let wrong = (0..<10_080).filter { rules.policy(at: Self.time($0)).isClosed != expected.contains($0) }
        #expect(wrong.isEmpty, "\(wrong.count) minutes, the first \(wrong.first ?? 0)")
    }

    @Test(arguments: windows)
    func `nothing changes before the next evaluation, which comes within a week`(windows: [Window]) {
        let rules = PolicyRules(files: [PolicyFile(closed: windows.map(\.closed))])
        let expected = Self.expected(windows)
        for minute in 0..<10_080 {
            guard let distance = rules.minutesToNextChange(after: Self.time(minute)) else {
                #expect(expected.isEmpty)
                continue
            }
            guard (1...10_080).contains(distance) else {
                Issue.record("\(distance) minutes after \(minute)")
                return
            }
            // Comparing with the next minute is enough: all minutes are compared in this way.
            let isEdge = expected.contains(minute) != expected.contains((minute + 1) % 10_080)
            if isEdge, distance != 1 {
                Issue.record("the change after \(minute) is looked for after \(distance) minutes")
                return
            }
            let next = rules.minutesToNextChange(after: Self.time((minute + 1) % 10_080))
            if distance > 1, next != distance - 1 {
                Issue.record("\(distance) minutes after \(minute), but \(next ?? 0) one minute later")
                return
            }
        }
    }

    @Test func `the windows of all files apply`() {
        let rules = PolicyRules(files: [
            PolicyFile(closed: [ClosedTime(days: ["mon"], from: "08:00", to: "09:00")]),
            PolicyFile(),
            PolicyFile(closed: [ClosedTime(days: ["mon"], from: "10:00", to: "11:00")]),
        ])
        let closed = [480, 540, 600, 660].map { rules.policy(at: Self.time($0)).isClosed }
        #expect(closed == [true, false, true, false])
    }

    @Test func `without windows no evaluation is scheduled`() {
        #expect(PolicyRules(files: []).minutesToNextChange(after: Self.time(0)) == nil)
        #expect(PolicyRules(files: [PolicyFile()]).minutesToNextChange(after: Self.time(0)) == nil)
    }

    @Test func `an application must be allowed by every file that names some, and be denied by none`() {
        let rules = PolicyRules(files: [
            PolicyFile(allow: ["a", "b"], deny: ["x"]), PolicyFile(exclude: ["y"]),
            PolicyFile(allow: ["b", "c"], deny: ["z"]),
        ])
        let policy = rules.policy(at: Self.time(0))
        #expect(policy.allowed == [ApplicationID(rawValue: "b")])
        #expect(policy.denied.map(\.rawValue) == ["x", "z"])
        #expect(policy.excluded.map(\.rawValue) == ["y"])
        #expect(PolicyRules(files: [PolicyFile(deny: ["x"])]).policy(at: Self.time(0)).allowed == nil)
    }

    @Test(arguments: ["8:00", "08:0", "08.00", "24:01", "25:00", "12:60", "+8:00", "0x:10", "", "aa:bb"])
    func `text that is not a time of day is refused by name`(text: String) {
        let error = #expect(throws: TOMLError.self) {
            try ClosedTime(days: nil, from: text, to: "12:00").check()
        }
        #expect(error?.reason.contains(text) == true)
        #expect(throws: TOMLError.self) {
            try ClosedTime(days: nil, from: "12:00", to: text).check()
        }
    }

    @Test func `text that is not a day of the week is refused by name`() {
        let error = #expect(throws: TOMLError.self) {
            try ClosedTime(days: ["mon", "Monday"], from: "08:00", to: "12:00").check()
        }
        #expect(error?.reason.contains("Monday") == true)
    }

    @Test func `the week begins on Monday, as the days of a file are named`() {
        let begins = (0..<7).map { WeekTime(weekday: $0, minute: 0).minute / 1440 }
        // struct tm counts from Sunday.
        #expect(begins == [6, 0, 1, 2, 3, 4, 5])
    }

    private static func expected(_ windows: [Window]) -> Set<Int> {
        windows.reduce(into: []) { $0.formUnion($1.minutes) }
    }

    private static func time(_ minute: Int) -> WeekTime {
        WeekTime(weekday: (minute / 1440 + 1) % 7, minute: minute % 1440)
    }
}
