import Testing

@testable import MumbleCore

/// When a server is tried again.
@Suite struct AttemptTests {
    /// How long each of the next attempts is waited for, all of which fail, after the server has accepted the
    /// connection or not.
    private func waits(_ test: inout TestSession, _ count: Int, isReached: Bool) throws -> [Duration] {
        try (0..<count).map { _ in
            if isReached { _ = test.session.connected(test.now) }
            _ = test.session.lost("refused", test.now)
            let deadline = try #require(test.session.deadline)
            defer { test.now = deadline }
            #expect(test.session.timer(deadline) == [.connect])
            return deadline - test.now
        }
    }

    @Test func `a server that cannot be reached is tried twice in a second for two minutes`() throws {
        var test = try TestSession()
        let begin = test.now
        let first = try waits(&test, 240, isReached: false)
        #expect(first == [.zero] + [Duration](repeating: .milliseconds(500), count: 239))
        #expect(test.now - begin < Backoff.patience)
        let later: [Duration] = [
            .milliseconds(500), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
        ]
        #expect(try waits(&test, 5, isReached: false) == later)
    }

    @Test func `attempts become rarer then, and never end`() throws {
        var test = try TestSession()
        _ = try waits(&test, 2, isReached: false)
        test.now += Backoff.patience
        let expected: [Duration] = [
            .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16),
            .seconds(30),
        ]
        let later = [Duration](repeating: .seconds(30), count: 4)
        #expect(try waits(&test, 11, isReached: false) == expected + later)
    }

    @Test func `a server that accepts connections and drops them is tried less and less from the beginning`()
        throws
    {
        var test = try TestSession()
        let expected: [Duration] = [
            .zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8),
        ]
        #expect(try waits(&test, 6, isReached: true) == expected)
    }

    @Test func `a server that was away for long and is away again is found as soon as the first time`() throws
    {
        var test = try TestSession()
        _ = try waits(&test, 2, isReached: false)
        test.now += Backoff.patience
        _ = try waits(&test, 3, isReached: false)
        test.join()
        // Not at once: it may be the server's wish.
        #expect(try waits(&test, 1, isReached: false) == [.seconds(1)])
        #expect(try waits(&test, 3, isReached: false).allSatisfy { $0 == Backoff.spacing })
    }

    @Test func `a reason is said once`() throws {
        var test = try TestSession()
        var notes = 0
        for reason in ["refused", "refused", "no answer", "no answer"] {
            if test.session.lost(reason, test.now).contains(.note(reason)) { notes += 1 }
            test.now = try #require(test.session.deadline)
            _ = test.session.timer(test.now)
        }
        #expect(notes == 2)
    }
}
