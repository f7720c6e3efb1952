import EventLoop
import Glibc

/// The parts of the benchmark, one after the other on one running stack.
@EventLoop
enum Benchmark {
    private static var stack: Stack?
    private static var signals: [SignalSource] = []
    private static var limit: TimerSource?

    static func run() async {
        do {
            signals = try [SIGINT, SIGTERM, SIGHUP].map { signal in
                try SignalSource(signal) { fail("stopped") }
            }
            let stack = try Stack()
            self.stack = stack
            try await measure(stack)
            end(EXIT_SUCCESS)
        } catch {
            fail("\(error)")
        }
    }

    private static func measure(_ stack: Stack) async throws {
        var table = Table()
        expect("the private stack does not come up", within: .seconds(30))
        try await stack.start()
        table.printHeader()
        expect("the daemons' memory cannot be read", within: .seconds(60))
        let footprint = try Footprint(stack)
        try await footprint.printIdleMemory(&table)
        expect("the idle daemons cannot be observed", within: .seconds(100))
        try await IdleWakeUps.measure(stack, &table)
        expect("a press has no effect", within: .seconds(60))
        let presses = try await Presses(stack)
        try await presses.measureLatency(&table)
        expect("a call has no answer", within: .seconds(60))
        try await RoundTrips.measure(stack, &table)
        expect("a command does not end", within: .seconds(60))
        try CommandTimes.measure(stack, &table)
        expect("\(Presses.many) presses take too long", within: .seconds(180))
        try await footprint.printGrowth(presses, &table)
        write(table.misses == 0 ? "\nall limits kept" : "\nlimits missed: \(table.misses)")
    }

    /// From now on `complaint` ends the benchmark after `duration`.
    private static func expect(_ complaint: String, within duration: Duration) {
        let timer = TimerSource { fail("\(complaint) within \(duration)") }
        timer.arm(after: duration)
        limit = timer
    }

    private static func fail(_ reason: String) {
        complain(reason)
        if let log = stack?.log, !log.isEmpty { complain("the programs' last words:\n\(log)") }
        end(EXIT_FAILURE)
    }

    private static func end(_ code: Int32) {
        limit = nil
        stack?.end()
        EventLoop.exit(code: code)
    }
}
