import ChildProcess
import DBus
import EventLoop
import Glibc

/// The C client, which subscribes to a button in place of the daemons, and writes to the same observer.
@EventLoop
struct PressClient {
    private let stack: StackFixture
    private let blueZ: PrivateBlueZ
    private let observer: Observer
    private let parts: [ChildProcess]

    /// Starts it, and its second process in place of the core.
    init(_ stack: StackFixture, _ blueZ: PrivateBlueZ) async throws {
        let (receiverEnd, relayInput) = try Self.blockingPair()
        let (relayOutput, observerEnd) = try UnixSocket.pair(.stream)
        Self.makeBlocking(relayOutput)
        let receiver = ["baseline-receive", stack.busAddress, PrivateBlueZ.other.text]
        parts = [
            try stack.start([stack.ownProgram, "baseline-relay"], input: relayInput, output: relayOutput),
            try stack.start([stack.ownProgram] + receiver, output: receiverEnd),
        ]
        for end in [receiverEnd, relayInput, relayOutput] { _ = close(end) }
        (self.stack, self.blueZ) = (stack, blueZ)
        observer = try Observer(adopting: OwnedDescriptor(adopting: observerEnd))
        // The first message says that it has subscribed.
        _ = try await observer.next("transmissionBegan")
    }

    func press() async throws -> Duration {
        let start = try blueZ.notify(PrivateBlueZ.other, 1)
        return try await observer.next(#""transmissionBegan""#).time - start
    }

    func end() {
        for part in parts { stack.end(part) }
        observer.close()
    }

    static func blockingPair() throws(SystemError) -> (Int32, Int32) {
        let ends = try UnixSocket.pair(.stream)
        makeBlocking(ends.0)
        makeBlocking(ends.1)
        return ends
    }

    /// Programs expect ordinary, blocking standard streams.
    static func makeBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)  // Cannot fail on a socket.
    }
}
