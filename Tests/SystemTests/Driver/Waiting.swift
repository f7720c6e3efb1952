import EventLoop

/// Why a scenario failed, for people.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The time limit of a wait: with KVM the guest's clock goes on while a busy host keeps it waiting.
let standardLimit = Duration.seconds(60)

/// The conditions that scenarios wait for. A handler that has stored something new has them evaluated.
@EventLoop
enum Conditions {
    private static var waiting: [Waiter] = []

    static func evaluate() {
        for waiter in waiting { waiter.evaluate() }
    }

    /// Waits until `condition` holds or the time is over.
    ///
    /// - Returns: True if it holds.
    static func wait(_ limit: Duration, until condition: @escaping @EventLoop () -> Bool) async -> Bool {
        guard !condition() else { return true }
        return await withCheckedContinuation { continuation in
            let waiter = Waiter(condition) { waiter, holds in
                waiting.removeAll { $0 === waiter }
                continuation.resume(returning: holds)
            }
            waiting.append(waiter)
            waiter.start(limit)
        }
    }
}

@EventLoop
private final class Waiter {
    private let condition: @EventLoop () -> Bool
    private let done: @EventLoop (Waiter, Bool) -> Void
    private var timer: TimerSource?
    private var isDone = false

    init(_ condition: @escaping @EventLoop () -> Bool, done: @escaping @EventLoop (Waiter, Bool) -> Void) {
        self.condition = condition
        self.done = done
    }

    func start(_ limit: Duration) {
        let timer = TimerSource { [weak self] in self?.finish(false) }
        timer.arm(after: limit)
        self.timer = timer
    }

    func evaluate() {
        if !isDone, condition() { finish(true) }
    }

    private func finish(_ holds: Bool) {
        guard !isDone else { return }
        isDone = true
        timer?.disarm()
        done(self, holds)
    }
}

/// Waits until `condition` holds.
///
/// - Parameters:
///   - what: Completes "time limit: ".
///   - limit: How long to wait.
///   - condition: Evaluated whenever something has happened.
/// - Throws: ``Failure`` when the time is over.
@EventLoop
func until(
    _ what: String,
    within limit: Duration = standardLimit,
    _ condition: @escaping @EventLoop () -> Bool
) async throws {
    guard await Conditions.wait(limit, until: condition) else {
        throw Failure("not within \(limit.components.seconds) s: \(what)")
    }
}

/// Makes sure that something does not happen for a while.
@EventLoop
func never(_ what: String, for time: Duration, _ condition: @escaping @EventLoop () -> Bool) async throws {
    guard await !Conditions.wait(time, until: condition) else { throw Failure("it happened: \(what)") }
}

/// Polls the outside until `holds` is true.
@EventLoop
func eventually(
    _ what: String,
    within limit: Duration = standardLimit,
    _ holds: @EventLoop () async throws -> Bool
) async throws {
    let end = MonotonicInstant.now + limit
    while try await !holds() {
        guard MonotonicInstant.now < end else {
            throw Failure("not within \(limit.components.seconds) s: \(what)")
        }
        _ = await Conditions.wait(.milliseconds(200)) { false }
    }
}
