import EventLoop

/// Waits for what changes without an event: a file, or what another program prints.
///
/// - Throws: ``TimeLimitExceeded``, or the error of `isReached`.
@EventLoop
package func until(
    within limit: Duration = awaitLimit,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ isReached: () async throws -> Bool
) async throws {
    let deadline = Deadline(within: limit, file: file, line: line)
    while try await !isReached() {
        try deadline.check()
        await pause(.milliseconds(20))
    }
}

/// Ends a loop of waits each of which may succeed, for ever, without what the loop waits for.
package struct Deadline {
    private let end: MonotonicInstant
    private let error: TimeLimitExceeded

    package init(
        within limit: Duration = awaitLimit,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        end = .now + limit
        error = TimeLimitExceeded(limit: limit, file: file, line: line)
    }

    package func check() throws {
        guard .now < end else { throw error }
    }
}
