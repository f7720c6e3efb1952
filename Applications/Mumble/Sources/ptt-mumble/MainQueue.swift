import Foundation

/// Runs what belongs to no actor on the main queue, as all else here. On Swift's thread pool the first such
/// job would start a timer of libdispatch that wakes the process every second from then on; `Task.sleep`
/// would, too.
final class MainQueue: TaskExecutor {
    private static let shared = MainQueue()

    /// Starts a task that stays on the main queue, whatever it awaits.
    static func start(_ operation: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: shared, operation: operation)
    }

    /// Waits as `Task.sleep` does, but cannot be cancelled.
    static func pause(for time: DispatchTimeInterval) async {
        await withCheckedContinuation { waiter in
            DispatchQueue.main.asyncAfter(deadline: .now() + time) { waiter.resume() }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.main.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
