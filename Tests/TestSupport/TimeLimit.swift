/// The longest time that what a test awaits may take, also beside a load on all processors.
package let awaitLimit = Duration.seconds(30)

/// An awaited event did not happen within the time limit.
package struct TimeLimitExceeded: Error, CustomStringConvertible {
    let limit: Duration
    let file: StaticString
    let line: UInt
    package var description: String { "what \(file):\(line) awaits did not happen within \(limit)" }
}

/// Awaits `operation`, but no longer than `limit`: a broken test fails and does not hang.
///
/// `operation` must end when its task is cancelled, as the iteration of a stream does.
package func within<Result: Sendable>(
    _ limit: Duration = awaitLimit,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw TimeLimitExceeded(limit: limit, file: file, line: line)
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}
