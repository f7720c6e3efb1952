import CoreConfiguration
import Glibc
import Testing

@testable import pttd

@Suite(.serialized) struct LocalTimeTests {
    @Test func `in an hour that comes twice the next change of the policy is not in the past`() {
        let zone = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
        defer {
            if let zone { setenv("TZ", zone, 1) } else { unsetenv("TZ") }
            tzset()
        }
        // mktime(3) begins with the offset that it has found last, which is that of summer.
        #expect(LocalTime(at: 1_783_000_000).seconds(in: 1) > 1_783_000_000)
        // 25 October 2026, 02:10 for the second time.
        let now = 1_792_890_600
        #expect(LocalTime(at: now).week == WeekTime(weekday: 0, minute: 2 * 60 + 10))
        for minutes in 1...60 { #expect(LocalTime(at: now).seconds(in: minutes) > now) }
    }
}
