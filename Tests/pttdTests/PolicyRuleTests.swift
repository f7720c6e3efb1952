import PTTCore
import PTTMessages
import Testing

@testable import CoreConfiguration
@testable import pttd

/// The closed times of a policy, in minutes of the week from Monday 00:00.
@Suite struct PolicyRuleTests {
    private func rules(_ closed: ClosedTime...) -> PolicyRules {
        PolicyRules(files: [PolicyFile(closed: closed)])
    }

    /// 0 is Monday.
    private func at(_ day: Int, _ hour: Int, _ minute: Int = 0) -> WeekTime {
        WeekTime(weekday: (day + 1) % 7, minute: hour * 60 + minute)
    }

    @Test func `a closed time includes its first minute and excludes its last`() {
        let rules = rules(ClosedTime(days: ["wed"], from: "09:30", to: "17:00"))
        #expect(!rules.policy(at: at(2, 9, 29)).isClosed)
        #expect(rules.policy(at: at(2, 9, 30)).isClosed)
        #expect(rules.policy(at: at(2, 16, 59)).isClosed)
        #expect(!rules.policy(at: at(2, 17)).isClosed)
        #expect(!rules.policy(at: at(3, 10)).isClosed)
    }

    @Test func `a closed time that ends before it begins ends on the next day, over the end of the week too`()
    {
        let rules = rules(ClosedTime(days: ["sun"], from: "22:00", to: "06:00"))
        #expect(!rules.policy(at: at(6, 21, 59)).isClosed)
        #expect(rules.policy(at: at(6, 22)).isClosed)
        #expect(rules.policy(at: at(0, 5, 59)).isClosed)
        #expect(!rules.policy(at: at(0, 6)).isClosed)
        #expect(!rules.policy(at: at(0, 22)).isClosed)
    }

    @Test func `without days a closed time applies to all of them, and a whole day ends at midnight`() {
        let nightly = rules(ClosedTime(days: nil, from: "23:00", to: "24:00"))
        let always = rules(ClosedTime(days: nil, from: "00:00", to: "24:00"))
        for day in 0..<7 {
            #expect(nightly.policy(at: at(day, 23, 59)).isClosed)
            #expect(!nightly.policy(at: at(day, 0)).isClosed)
            #expect(always.policy(at: at(day, 0)).isClosed && always.policy(at: at(day, 23, 59)).isClosed)
        }
    }

    @Test func `the next change is the nearest beginning or end, a week ahead at most`() {
        let rules = rules(
            ClosedTime(days: ["mon"], from: "08:00", to: "09:00"),
            ClosedTime(days: ["sun"], from: "22:00", to: "06:00")
        )
        #expect(rules.minutesToNextChange(after: at(0, 5, 30)) == 30)
        #expect(rules.minutesToNextChange(after: at(0, 6)) == 120)
        #expect(rules.minutesToNextChange(after: at(0, 8)) == 60)
        #expect(rules.minutesToNextChange(after: at(0, 9)) == 6 * 24 * 60 + 13 * 60)
        #expect(rules.minutesToNextChange(after: at(6, 22)) == 8 * 60)
        #expect(PolicyRules(files: [PolicyFile()]).minutesToNextChange(after: at(0, 0)) == nil)
        let once = PolicyRules(files: [PolicyFile(closed: [.init(days: ["tue"], from: "10:00", to: "10:01")])]
        )
        #expect(once.minutesToNextChange(after: at(1, 10, 1)) == 7 * 24 * 60 - 1)
    }

    @Test func `the policy changes exactly at the minutes that are given as the next change`() {
        let rules = rules(
            ClosedTime(days: ["mon", "fri"], from: "22:15", to: "06:45"),
            ClosedTime(days: ["sat"], from: "00:00", to: "24:00")
        )
        var minute = 0
        while minute < WeekTime.week {
            let time = WeekTime(weekday: minute / WeekTime.day + 1, minute: minute % WeekTime.day)
            guard let step = rules.minutesToNextChange(after: time) else { return #expect(Bool(false)) }
            for passed in 0..<step where minute + passed < WeekTime.week {
                let later = minute + passed
                let same = WeekTime(weekday: later / WeekTime.day + 1, minute: later % WeekTime.day)
                #expect(rules.policy(at: same) == rules.policy(at: time))
            }
            minute += step
        }
    }

    @Test func `what any of several files forbids is forbidden, and only what all allow is allowed`() {
        let rules = PolicyRules(files: [
            PolicyFile(allow: ["a", "b"], deny: ["x"], exclude: ["e"]),
            PolicyFile(allow: ["b", "c"], deny: ["y"]),
            PolicyFile(),
        ])
        let policy = rules.policy(at: at(0, 0))
        #expect(policy.allowed?.map(\.rawValue) == ["b"])
        #expect(policy.denied.map(\.rawValue) == ["x", "y"])
        #expect(policy.excluded.map(\.rawValue) == ["e"])
        #expect(PolicyRules(files: []).policy(at: at(0, 0)).allowed == nil)
    }

    @Test(arguments: [
        ("mon", "22:00", "6:00", "6:00"), ("mon", "22:00", "25:00", "25:00"),
        ("mon", "22:00", "24:01", "24:01"),
        ("monday", "22:00", "06:00", "monday"), ("mon", "-1:00", "06:00", "-1:00"),
        ("mon", "22:60", "06:00", "22:60"), ("mon", "", "06:00", "time of day"),
        ("mon", "08:00", "08:00", "is empty"),
    ])
    func `a wrong time or day is named`(day: String, from: String, to: String, named: String) {
        #expect {
            try ClosedTime(days: [day], from: from, to: to).check()
        } throws: { error in
            "\(error)".contains(named)
        }
    }
}
