import CSystemd
import Glibc

/// The one thread that talks to C libraries and sockets: `sd_event` as a global actor.
///
/// Everything marked `@EventLoop` runs on the thread that called ``run(_:)``, or on the thread created by
/// ``startOnOwnThread()``. Descriptors, timers, signals and jobs of Swift tasks are sources of the same loop,
/// so their handlers never run concurrently and need no locks. Between events the thread sleeps in
/// `epoll_wait`; an idle loop never wakes up.
@globalActor
package actor EventLoop {
    package static let shared = EventLoop()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe LoopExecutor.shared.asUnownedSerialExecutor()
    }

    /// Runs the loop on the calling thread until ``exit(code:)``; `start` is its first job.
    ///
    /// - Parameter start: Runs as soon as the loop runs. It sets up the sources, which remain after it
    ///   returns.
    /// - Returns: The code given to ``exit(code:)``.
    package nonisolated static func run(_ start: @escaping @EventLoop () async -> Void) -> Int32 {
        LoopExecutor.shared.adoptCurrentThread()
        self.start(start)
        return LoopExecutor.shared.turnUntilExit()
    }

    /// Starts a task on the loop.
    ///
    /// Unlike in a plain `Task`, nonisolated code runs on the loop too, and continuations resume there first.
    /// On Swift's thread pool the first such job would start a thread of libdispatch that wakes up every
    /// second from then on.
    package nonisolated static func start(_ operation: @escaping @EventLoop () async -> Void) {
        Task(executorPreference: LoopExecutor.shared, operation: operation)
    }

    /// Runs the loop on its own thread, for libraries that do not own the main thread. Further calls do
    /// nothing.
    package nonisolated static func startOnOwnThread() {
        LoopExecutor.shared.startThread()
    }

    /// Ends ``run(_:)`` after the current iteration.
    ///
    /// - Parameter code: The result of `run`, meant as the exit status of the process.
    @EventLoop
    package static func exit(code: Int32) {
        sd_event_exit(LoopExecutor.shared.event, code)
    }

    /// The time at which the loop woke up for the current iteration.
    @EventLoop
    package static var turnTime: MonotonicInstant {
        var microseconds: UInt64 = 0
        // Cannot fail: sd_event supports this clock.
        sd_event_now(LoopExecutor.shared.event, CLOCK_MONOTONIC, &microseconds)
        return MonotonicInstant(nanoseconds: Int64(microseconds) * 1000)
    }

    /// Runs `operation` synchronously; traps if the caller is not on the loop's thread.
    ///
    /// For C callbacks, which run on the loop's thread without the compiler knowing.
    package static func assumeIsolated<Result>(_ operation: @EventLoop () throws -> Result) rethrows -> Result
    {
        LoopExecutor.shared.checkIsolated()
        return try withoutActuallyEscaping(operation) { operation in
            // Dropping the isolation from a function type has no other spelling; the check above is what
            // makes it true.
            try unsafeBitCast(operation, to: (() throws -> Result).self)()
        }
    }
}
