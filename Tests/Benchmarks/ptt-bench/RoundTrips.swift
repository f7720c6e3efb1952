import CBaseline
import ChildProcess
import EventLoop
import Varlink

/// A Varlink call and its answer between two processes, beside a method call over D-Bus in C.
@EventLoop
enum RoundTrips {
    private static let samples = 2000
    private static let warmUp = 200

    static func measure(_ stack: StackFixture, _ table: inout Table) async throws {
        let bus = try await Baseline(stack)
        let path = stack.directory + "/bench"
        let service = try stack.start([stack.ownProgram, "answer-varlink", path])
        try await stack.appearance(of: path)
        guard let core = stack.core, let daemon = stack.bus else { throw Unmeasurable("pttd does not run") }
        let peers = Peers(
            empty: try await connected(path),
            core: try VarlinkClient(connectingTo: stack.directory + "/pushtotalk/core"),
            bus: bus
        )
        let others = [core, daemon, service, bus.service].map(\.processID)
        table.printSection("Varlink round trip between two processes")
        try pin(0, toProcessor: 0)
        for other in others { try pin(other, toProcessor: 0) }
        try await measure("one processor", between: peers, limit: .ratio(1.0 / 3), &table)
        // Most of the time here is the kernel's waking of an idle processor, once in each direction, for
        // both.
        for other in others { try pin(other, toProcessor: 1) }
        try await measure("two processors", between: peers, limit: .none, &table)
        for process in [0] + others { _ = processor_pin(process, -1) }  // As before.
        peers.empty.close()
        peers.core.close()
        stack.end(service)
        bus.end()
    }

    /// Where the scheduler puts two peers decides what a message between them costs, more than their code
    /// does.
    private static func pin(_ processID: Int32, toProcessor index: Int32) throws {
        let processor = processor_number(index)
        guard processor >= 0 else { throw Unmeasurable("this needs two processors") }
        guard processor_pin(processID, processor) == 0 else {
            throw SystemError("choose the processor of process \(processID)")
        }
    }

    private struct Peers {
        let empty: VarlinkClient
        let core: VarlinkClient
        let bus: Baseline
    }

    private static func measure(
        _ place: String,
        between peers: Peers,
        limit: Table.Limit,
        _ table: inout Table
    ) async throws {
        var (emptyTimes, busEmptyTimes) = (Samples(), Samples())
        var (statusTimes, busStatusTimes) = (Samples(), Samples())
        for number in 0..<warmUp + samples {
            let emptyTime = try await time(AnsweringService.method, peers.empty)
            let busEmptyTime = try peers.bus.time("Empty")
            let statusTime = try await time("org.pushtotalk.Channel.GetStatus", peers.core)
            let busStatusTime = try peers.bus.time("Status")
            guard number >= warmUp else { continue }
            emptyTimes.add(emptyTime)
            busEmptyTimes.add(busEmptyTime)
            statusTimes.add(statusTime)
            busStatusTimes.add(busStatusTime)
        }
        let rows = [
            ("an empty call", emptyTimes, busEmptyTimes),
            ("GetStatus of pttd", statusTimes, busStatusTimes),
        ]
        for (what, ours, theirs) in rows {
            table.printTimes(
                "\(what), \(place)",
                ours,
                in: .microseconds,
                named: "libdbus call",
                beside: theirs,
                limit: limit
            )
        }
    }

    /// A socket appears before its server listens.
    private static func connected(_ path: String) async throws -> VarlinkClient {
        while true {
            do throws(SystemError) {
                return try VarlinkClient(connectingTo: path)
            } catch {
                await pause(.milliseconds(10))
            }
        }
    }

    private static func time(_ method: String, _ client: VarlinkClient) async throws -> Duration {
        let start = MonotonicInstant.now
        let (end, answer) = await withCheckedContinuation { continuation in
            client.call(method) { continuation.resume(returning: (MonotonicInstant.now, $0)) }
        }
        _ = try answer.get()
        return end - start
    }

    /// Method calls with libdbus through dbus-daemon to a service in C.
    @EventLoop
    private struct Baseline {
        private let stack: StackFixture
        let service: ChildProcess
        private let connection: UnsafeMutableRawPointer

        init(_ stack: StackFixture) async throws {
            self.stack = stack
            service = try stack.start([stack.ownProgram, "baseline-answer", stack.busAddress])
            guard let connection = baseline_connect(stack.busAddress) else {
                throw Unmeasurable("libdbus cannot connect to \(stack.busAddress)")
            }
            self.connection = connection
            // Its first calls fail until it has its name.
            while baseline_call(connection, "Empty") < 0 { await pause(.milliseconds(10)) }
        }

        func time(_ method: String) throws -> Duration {
            let nanoseconds = baseline_call(connection, method)
            guard nanoseconds >= 0 else { throw Unmeasurable("a D-Bus call had no answer") }
            return .nanoseconds(nanoseconds)
        }

        func end() { stack.end(service) }
    }
}
