import EventLoop

/// What a test has waited for in vain.
package struct NotReached: Error, CustomStringConvertible {
    package let description: String
}

/// Waits for what changes without an event: a file, or what another program prints.
///
/// - Throws: ``NotReached``, or the error of `isReached`.
@EventLoop
package func until(
    within limit: Duration = awaitLimit,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ isReached: () async throws -> Bool
) async throws {
    let end = MonotonicInstant.now + limit
    while try await !isReached() {
        guard .now < end else {
            throw NotReached(description: "what \(file):\(line) waits for has not come within \(limit)")
        }
        await pause(.milliseconds(20))
    }
}
