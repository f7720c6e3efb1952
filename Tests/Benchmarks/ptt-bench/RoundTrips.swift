import CBaseline
import EventLoop
import Varlink

/// A Varlink call and its answer between two processes, beside a method call over D-Bus in C.
@EventLoop
enum RoundTrips {
    private static let samples = 2000
    private static let warmUp = 200

    static func measure(_ stack: Stack, _ table: inout Table) async throws {
        let bus = try await Baseline(stack)
        let path = stack.directory + "/bench"
        let service = try stack.start([stack.ownProgram, "answer-varlink", path])
        try await stack.appearance(of: path)
        let empty = try await connected(path)
        let core = try VarlinkClient(connectingTo: stack.directory + "/pushtotalk/core")
        var (emptyTimes, busEmptyTimes) = (Samples(), Samples())
        var (statusTimes, busStatusTimes) = (Samples(), Samples())
        for number in 0..<warmUp + samples {
            let emptyTime = try await time(AnsweringService.method, empty)
            let busEmptyTime = try bus.time("Empty")
            let statusTime = try await time("org.pushtotalk.Channel.GetStatus", core)
            let busStatusTime = try bus.time("Status")
            guard number >= warmUp else { continue }
            emptyTimes.add(emptyTime)
            busEmptyTimes.add(busEmptyTime)
            statusTimes.add(statusTime)
            busStatusTimes.add(busStatusTime)
        }
        empty.close()
        core.close()
        stack.end(service)
        bus.end()
        table.printSection("Varlink round trip between two processes")
        let name = "libdbus call"
        table.printTimes("an empty call", emptyTimes, .microseconds, name, busEmptyTimes, .ratio(1.0 / 3))
        table.printTimes(
            "GetStatus of pttd",
            statusTimes,
            .microseconds,
            name,
            busStatusTimes,
            .ratio(1.0 / 3)
        )
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
        private let stack: Stack
        private let service: Child
        private let connection: UnsafeMutableRawPointer

        init(_ stack: Stack) async throws {
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
