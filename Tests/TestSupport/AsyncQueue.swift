/// Values that handlers add and a test awaits, in order.
package final class AsyncQueue<Element: Sendable>: Sendable {
    private let stream: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation

    /// Nothing was left to await: the queue has ended, or the test was cancelled.
    package struct Ended: Error {}

    package init(of type: Element.Type = Element.self) {
        (stream, continuation) = AsyncStream.makeStream(of: type)
    }

    package func add(_ element: Element) { continuation.yield(element) }

    /// Nothing is added from now on.
    package func finish() { continuation.finish() }

    /// Removes the first element, as soon as there is one.
    ///
    /// - Throws: ``TimeLimitExceeded``, ``Ended``.
    package func next(
        within limit: Duration = awaitLimit,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> Element {
        try await TestSupport.within(limit, file: file, line: line) { [stream] in
            for await element in stream { return element }
            throw Ended()
        }
    }

    /// The next `count` elements.
    package func next(
        _ count: Int,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> [Element] {
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try await next(file: file, line: line)) }
        return elements
    }

    /// The first element that `isWanted` holds for; the ones before it are dropped.
    package func first(
        within limit: Duration = awaitLimit,
        file: StaticString = #fileID,
        line: UInt = #line,
        where isWanted: (Element) -> Bool
    ) async throws -> Element {
        try await firstValue(within: limit, file: file, line: line) { isWanted($0) ? $0 : nil }
    }

    /// The first value of `part` that is not nil; the elements before it are dropped.
    package func firstValue<Value>(
        within limit: Duration = awaitLimit,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ part: (Element) throws -> Value?
    ) async throws -> Value {
        let deadline = Deadline(within: limit, file: file, line: line)
        while true {
            let element = try await next(within: limit, file: file, line: line)
            if let value = try part(element) { return value }
            try deadline.check()
        }
    }

    /// All elements until the queue has ended.
    package func untilEnd(
        within limit: Duration,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> [Element] {
        try await TestSupport.within(limit, file: file, line: line) { [stream] in
            var elements: [Element] = []
            for await element in stream { elements.append(element) }
            return elements
        }
    }
}
