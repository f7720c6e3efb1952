import EventLoop
import Glibc
import TestSupport

/// The parts of the benchmark, one after the other on one running stack.
@EventLoop
enum Benchmark {
    private static var stack: StackFixture?
    private static var signals: [SignalSource] = []
    private static var limit: TimerSource?

    /// In the order in which they are measured.
    enum Part: String, CaseIterable {
        /// Must be first: before any press, and then after some.
        case memory
        case idle
        case press
        case calls
        case commands
        /// After all that measures the stack's own daemons: whatever has run before has warmed them up.
        case growth
        /// With daemons of its own, as all below.
        case pulseaudio
        case pipewire
        case wakeups
        case actions
        case crowd
        case hostile

        var timeLimit: Duration {
            switch self {
            case .memory, .idle, .press, .calls, .commands, .growth, .crowd, .pulseaudio, .pipewire,
                .wakeups:
                .seconds(180)
            case .actions: .seconds(300)
            case .hostile: .seconds(900)
            }
        }
    }

    /// - Parameters:
    ///   - parts: The parts to measure.
    ///   - attacks: The attacks of the part ``Part/hostile``.
    static func run(_ parts: Set<Part>, _ attacks: [Attack]) async {
        do {
            signals = try [SIGINT, SIGTERM, SIGHUP].map { signal in
                try SignalSource(signal) { fail("stopped") }
            }
            let stack = try StackFixture()
            self.stack = stack
            let hasFailed = try await measure(parts, attacks: attacks, on: stack)
            end(hasFailed ? EXIT_FAILURE : EXIT_SUCCESS)
        } catch {
            fail("\(error)")
        }
    }

    /// - Returns: True if a hostile peer has exceeded a limit.
    private static func measure(_ parts: Set<Part>, attacks: [Attack], on stack: StackFixture) async throws
        -> Bool
    {
        var table = Table()
        expect("the private stack does not come up", within: .seconds(30))
        try await stack.start()
        table.printHeader()
        let footprint = try Footprint(stack)
        for part in Part.allCases where parts.contains(part) {
            expect("the part \"\(part.rawValue)\" did not end", within: part.timeLimit)
            switch part {
            case .memory:
                try footprint.printIdleMemory(&table)
                try await footprint.printIndicatorMemory(&table)
                try await footprint.printMemoryAfterPresses(&table)
            case .idle: try await IdleWakeUps.measure(stack, &table)
            case .press: try await Presses(stack).measureLatency(&table)
            case .calls: try await RoundTrips.measure(stack, &table)
            case .commands: try CommandTimes.measure(stack, &table)
            case .growth: try await footprint.printGrowth(&table)
            case .pulseaudio: try await SoundTimes.measure(.pulseAudio, on: stack, &table)
            case .pipewire: try await SoundTimes.measure(.pipeWire, on: stack, &table)
            case .wakeups: try await ServerWakeUps.measure(on: stack, &table)
            case .actions: try await ActionTimes.measure(on: stack, &table)
            case .crowd: try await Crowd.measure(stack, &table)
            case .hostile: try await Hostile.measure(attacks, on: stack, &table)
            }
        }
        write(table.misses == 0 ? "\nall limits kept" : "\nlimits missed: \(table.misses)")
        return table.hasFailed
    }

    /// From now on `complaint` ends the benchmark after `duration`.
    private static func expect(_ complaint: String, within duration: Duration) {
        let timer = TimerSource { fail("\(complaint) within \(duration)") }
        timer.arm(after: duration)
        limit = timer
    }

    private static func fail(_ reason: String) {
        complain(reason)
        if let log = stack?.log, !log.isEmpty { complain("the end of the programs' log:\n\(log)") }
        end(EXIT_FAILURE)
    }

    private static func end(_ code: Int32) {
        limit = nil
        stack?.end()
        EventLoop.exit(code: code)
    }
}

/// Something that the benchmark needs is missing or does not work.
struct Unmeasurable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
