/// Calls back at a time, the last one that was set.
@MainActor
final class Alarm {
    private var time: ContinuousClock.Instant?
    private var task: Task<Void, Never>?

    isolated deinit { task?.cancel() }

    /// - Parameters:
    ///   - new: When; nil cancels it. A later time than before is only looked at when the earlier one has
    ///     come, because many are set in a row and few come.
    ///   - body: Called at or soon after the time, or before it, when an earlier time has come: it sets the
    ///     next one in any case.
    func set(_ new: ContinuousClock.Instant?, _ body: @escaping @MainActor () -> Void) {
        if let time, let new, time <= new { return }
        task?.cancel()
        time = new
        task = new.map { new in
            Task { [weak self] in
                // Cancelled: another time was set.
                guard (try? await Task.sleep(until: new)) != nil, let self else { return }
                time = nil
                body()
            }
        }
    }
}
