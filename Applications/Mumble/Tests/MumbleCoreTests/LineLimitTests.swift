import SwiftProtobuf
import Testing

@testable import MumbleCore

/// Lines of the journal that others on the server cause.
@Suite struct LineLimitTests {
    @Test func `a flood of one topic is bounded and counted, and hides no other`() {
        var limit = LineLimit()
        var now = Duration.seconds(1000)
        let lines = (0..<1000).flatMap { limit.lines("\($0)", about: .permission, now) }
        #expect(lines == (0..<LineLimit.burst).map { "\($0)" })
        #expect(limit.lines("gone", about: .connection, now) == ["gone"])
        now += LineLimit.spacing
        let omitted = 1000 - LineLimit.burst
        let next = limit.lines("next", about: .permission, now)
        #expect(next == ["\(omitted) lines as the next one were left out", "next"])
        #expect(limit.lines("another", about: .permission, now) == [])
    }

    @Test func `what a server denies again and again has a topic of its own`() throws {
        var test = try TestSession()
        test.join()
        let effects = test.say(.permissionDenied(.with { $0.reason = "no" }))
        #expect(effects == [.note("host:64738 denies a permission: no", about: .permission)])
    }
}
