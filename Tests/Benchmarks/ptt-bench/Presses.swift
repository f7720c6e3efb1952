import ChildProcess
import DBus
import EventLoop
import Glibc

/// Presses of the button: from the notification on the bus to "transmission began" at a subscriber.
///
/// Beside it a C client that receives the same signal with libdbus and passes one message over two Unix
/// sockets, by way of a second process, to the same observer.
@EventLoop
final class Presses {
    static let many = 10_000
    /// Until the allocator, and the mapped memory of the sound server, have reached their size.
    static let first = 2_000
    private static let samples = 300
    private static let warmUp = 30

    private let stack: StackFixture
    private let blueZ: PrivateBlueZ
    private let ours: Observer
    /// The latency of the first press of this run.
    private static var firstTime: Duration?

    init(_ stack: StackFixture) async throws {
        guard let blueZ = stack.blueZ else { throw Unmeasurable("there is no button") }
        self.stack = stack
        self.blueZ = blueZ
        ours = try Observer(subscribingAt: stack.directory + "/pushtotalk/core")
        // The first message is the status.
        _ = try await ours.next("status")
    }

    func measureLatency(_ table: inout Table) async throws {
        let client = try await PressClient(stack, blueZ)
        table.printSection("Notification on the bus to \"transmission began\" at a subscriber")
        for pace in Pace.allCases {
            let (ours, theirs) = try await measure(pace, beside: client)
            table.printTimes(
                pace.rawValue,
                ours,
                in: .microseconds,
                named: "C client",
                beside: theirs,
                limit: .ratio(pace.limit)
            )
        }
        client.end()
        if let first = Self.firstTime {
            table.printNote("the first press after the start: \(decimal(first / .microseconds(1), 0)) µs")
        }
    }

    private enum Pace: String, CaseIterable {
        /// As a person's press: everything is at rest, and its code no longer in the caches of a busy
        /// machine.
        case fromRest = "from rest"
        case inARow = "one after the other"

        /// Waits before the next press.
        func rest() async {
            switch self {
            case .fromRest: await pause(.milliseconds(10))
            case .inARow: break
            }
        }

        /// The most that our time may be of the C client's.
        var limit: Double {
            switch self {
            case .fromRest: 1.5
            case .inARow: 1.3
            }
        }
    }

    private func measure(_ pace: Pace, beside client: PressClient) async throws -> (Samples, Samples) {
        var (our, their) = (Samples(), Samples())
        for number in 0..<Self.warmUp + Self.samples {
            // In turn, so that other load of the machine hits both alike.
            await pace.rest()
            let theirTime = try await client.press()
            await pace.rest()
            let ourTime = try await ourPress()
            try await release()
            guard number >= Self.warmUp else { continue }
            our.add(ourTime)
            their.add(theirTime)
        }
        return (our, their)
    }

    /// Presses and releases many times; each tenth is held until the microphone is open.
    func press(times: Int) async throws {
        for number in 1...times {
            _ = try await ourPress()
            if number.isMultiple(of: 10) { _ = try await ours.next(#""audioActivated""#) }
            try await release()
        }
    }

    private func ourPress() async throws -> Duration {
        let start = try blueZ.notify(PrivateBlueZ.button, 1)
        let time = try await ours.next(#""transmissionBegan""#).time - start
        Self.firstTime = Self.firstTime ?? time
        return time
    }

    private func release() async throws {
        _ = try blueZ.notify(PrivateBlueZ.button, 0)
        _ = try await ours.next(#""audioDeactivated""#)
    }
}
