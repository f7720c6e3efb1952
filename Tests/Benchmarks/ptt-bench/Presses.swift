import DBus
import EventLoop
import Glibc

/// Presses of the button: from the notification on the bus to "transmission began" at a subscriber.
///
/// Beside it a C client that receives the same signal with libdbus and passes one message over two Unix sockets, by
/// way of a second process, to the same observer.
@EventLoop
final class Presses {
    static let many = 10_000
    /// Until the allocator and what is mapped of the sound server's memory have reached their size.
    static let first = 2_000
    private static let samples = 300
    private static let warmUp = 30

    private let stack: Stack
    private let blueZ: PrivateBlueZ
    private let ours: Observer

    init(_ stack: Stack) async throws {
        guard let blueZ = stack.blueZ else { throw Unmeasurable("there is no button") }
        self.stack = stack
        self.blueZ = blueZ
        ours = try Observer(subscribingAt: stack.directory + "/pushtotalk/core")
        // The first message is the status.
        _ = await ours.next("status")
    }

    func measureLatency(_ table: inout Table) async throws {
        let baseline = try await Baseline(stack, blueZ)
        table.printSection("Notification on the bus to \"transmission began\" at a subscriber")
        // A person's press finds everything at rest, and its code no longer in the caches of a busy machine.
        try await measure("from rest", after: .milliseconds(10), baseline, &table)
        try await measure("one after the other", after: nil, baseline, &table)
        baseline.end()
    }

    private func measure(_ what: String, after rest: Duration?, _ baseline: Baseline, _ table: inout Table)
        async throws
    {
        var (our, their) = (Samples(), Samples())
        for number in 0..<Self.warmUp + Self.samples {
            // In turn, so that other load of the machine hits both alike.
            if let rest { await pause(rest) }
            let theirTime = try await baseline.press()
            if let rest { await pause(rest) }
            let ourTime = try await ourPress()
            try await release()
            guard number >= Self.warmUp else { continue }
            our.add(ourTime)
            their.add(theirTime)
        }
        table.printTimes(what, our, .microseconds, "C client", their, .ratio(1.5))
    }

    /// Presses and releases many times; each tenth is held until the microphone is open.
    func press(times: Int) async throws {
        for number in 1...times {
            _ = try await ourPress()
            if number.isMultiple(of: 10) { _ = await ours.next(#""audioActivated""#) }
            try await release()
        }
    }

    private func ourPress() async throws -> Duration {
        let start = try blueZ.notify(PrivateBlueZ.button, 1)
        return await ours.next(#""transmissionBegan""#).time - start
    }

    private func release() async throws {
        _ = try blueZ.notify(PrivateBlueZ.button, 0)
        _ = await ours.next(#""audioDeactivated""#)
    }

    /// The C client and its second process.
    @EventLoop
    private struct Baseline {
        private let stack: Stack
        private let blueZ: PrivateBlueZ
        private let observer: Observer
        private let parts: [Child]

        init(_ stack: Stack, _ blueZ: PrivateBlueZ) async throws {
            self.stack = stack
            self.blueZ = blueZ
            let (receiverEnd, relayInput) = try UnixSocket.pair(.stream).release()
            let (relayOutput, observerEnd) = try UnixSocket.pair(.stream).release()
            // Programs expect ordinary, blocking standard streams.
            for end in [receiverEnd, relayInput, relayOutput] {
                _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) & ~O_NONBLOCK)
            }
            observer = try Observer(adopting: OwnedDescriptor(adopting: observerEnd))
            let receiver = ["baseline-receive", stack.busAddress, PrivateBlueZ.other.text]
            parts = [
                try stack.start(
                    [stack.ownProgram, "baseline-relay"],
                    input: relayInput,
                    output: relayOutput
                ),
                try stack.start([stack.ownProgram] + receiver, output: receiverEnd),
            ]
            for end in [receiverEnd, relayInput, relayOutput] { _ = close(end) }
            // The first message says that it follows the bus.
            _ = await observer.next("transmissionBegan")
        }

        func press() async throws -> Duration {
            let start = try blueZ.notify(PrivateBlueZ.other, 1)
            return await observer.next(#""transmissionBegan""#).time - start
        }

        func end() {
            for part in parts { stack.end(part) }
            observer.close()
        }
    }
}
