import DBus
import EventLoop

extension BusConnection {
    /// Calls a program of the desktop. What it has done although it hung for a while is not lost: its answer
    /// counts also if it is late.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - patience: A program that hangs for longer does not go on. When it ends, the bus answers in its
    ///     place.
    ///   - overdue: Called if there is no answer within ``defaultTimeout``, before `completion`.
    ///   - completion: Receives the answer or an error, exactly once.
    func call(
        _ call: MethodCall,
        patience: Duration = .seconds(120),
        overdue: @escaping @EventLoop () -> Void,
        completion: @escaping Completion
    ) {
        let limit = TimerSource(handler: overdue)
        limit.arm(after: Self.defaultTimeout)
        self.call(call, timeout: patience) { result in
            limit.disarm()
            completion(result)
        }
    }
}
