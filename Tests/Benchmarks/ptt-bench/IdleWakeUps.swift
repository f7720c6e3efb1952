import ChildProcess
import EventLoop

/// How often the daemons wake up while nothing happens: a channel is joined, a button connected, no watchdog set.
@EventLoop
enum IdleWakeUps {
    private static let seconds = 60

    static func measure(_ stack: StackFixture, _ table: inout Table) async throws {
        let daemons = [stack.core, stack.accessoryd].compactMap(\.self)
        // Earlier time limits expire first. The longest is the window in which RateLimitedLog counts the lines of earlier
        // presses.
        await pause(.seconds(62))
        let before = try daemons.map { try ProcessFigures($0.processID).voluntarySwitches }
        await pause(.seconds(seconds))
        let after = try daemons.map { try ProcessFigures($0.processID).voluntarySwitches }
        table.printSection("Voluntary context switches in \(seconds) idle seconds, without a watchdog")
        for (daemon, count) in zip(daemons, zip(before, after)) {
            table.printFigure(daemon.name, Double(count.1 - count.0), in: .times, limit: .figure(0))
        }
    }
}
