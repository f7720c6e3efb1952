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
    private static let samples = 300
    private static let warmUp = 30

    private let stack: Stack
    private let blueZ: PrivateBlueZ
    private let ours: Observer
    private let other: Observer
    private let parts: [Child]

    init(_ stack: Stack) async throws {
        guard let blueZ = stack.blueZ else { throw Unmeasurable("there is no button") }
        self.stack = stack
        self.blueZ = blueZ
        ours = try Observer(subscribingAt: stack.directory + "/pushtotalk/core")
        let (receiverEnd, relayInput) = try UnixSocket.pair(.stream).release()
        let (relayOutput, observerEnd) = try UnixSocket.pair(.stream).release()
        // Programs expect ordinary, blocking standard streams.
        for end in [receiverEnd, relayInput, relayOutput] {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) & ~O_NONBLOCK)
        }
        other = try Observer(adopting: OwnedDescriptor(adopting: observerEnd))
        let receiver = ["baseline-receive", stack.busAddress, PrivateBlueZ.other.text]
        parts = [
            try stack.start([stack.ownProgram, "baseline-relay"], input: relayInput, output: relayOutput),
            try stack.start([stack.ownProgram] + receiver, output: receiverEnd),
        ]
        for end in [receiverEnd, relayInput, relayOutput] { _ = close(end) }
        // The first message says that the receiver follows the bus; the first of ours is the status.
        _ = await other.next("transmissionBegan")
        _ = await ours.next("status")
    }

    func measureLatency(_ table: inout Table) async throws {
        var (our, their) = (Samples(), Samples())
        for number in 0..<Self.warmUp + Self.samples {
            // In turn, each from rest, so that other load of the machine hits both alike.
            await pause(.milliseconds(10))
            let theirTime = try await theirPress()
            await pause(.milliseconds(10))
            let ourTime = try await ourPress()
            try await release()
            guard number >= Self.warmUp else { continue }
            our.add(ourTime)
            their.add(theirTime)
        }
        for part in parts { stack.end(part) }
        other.close()
        table.printSection("Notification on the bus to \"transmission began\" at a subscriber")
        table.printTimes("a press", our, .microseconds, "C client", their, .ratio(1.5))
    }

    /// Presses and releases many times; each hundredth is held until the microphone is open.
    func pressMany() async throws {
        for number in 1...Self.many {
            _ = try await ourPress()
            if number.isMultiple(of: 100) { _ = await ours.next(#""audioActivated""#) }
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

    private func theirPress() async throws -> Duration {
        let start = try blueZ.notify(PrivateBlueZ.other, 1)
        return await other.next(#""transmissionBegan""#).time - start
    }
}
