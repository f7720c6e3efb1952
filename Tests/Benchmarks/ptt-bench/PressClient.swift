import ChildProcess
import DBus
import EventLoop
import Glibc

/// A program that subscribes to a button in place of the daemons, and writes to the same observer.
@EventLoop
struct PressClient {
    private let stack: StackFixture
    private let blueZ: PrivateBlueZ
    private let path: ObjectPath
    private let observer: Observer
    let parts: [ChildProcess]

    /// The C client, and its second process in place of the core.
    static func inC(_ stack: StackFixture, _ blueZ: PrivateBlueZ) async throws -> PressClient {
        let (receiverEnd, relayInput) = try blockingPair()
        let (relayOutput, observerEnd) = try UnixSocket.pair(.stream).release()
        makeBlocking(relayOutput)
        let receiver = ["baseline-receive", stack.busAddress, PrivateBlueZ.other.text]
        let parts = [
            try stack.start([stack.ownProgram, "baseline-relay"], input: relayInput, output: relayOutput),
            try stack.start([stack.ownProgram] + receiver, output: receiverEnd),
        ]
        for end in [receiverEnd, relayInput, relayOutput] { _ = close(end) }
        return try await PressClient(
            on: stack,
            blueZ: blueZ,
            path: PrivateBlueZ.other,
            observerEnd: observerEnd,
            parts: parts
        )
    }

    /// A Python program that uses bleak, and writes to the observer itself.
    static func withBleak(_ stack: StackFixture, _ blueZ: PrivateBlueZ) async throws -> PressClient {
        let packages = stack.programs + "/python-bleak"
        guard access(packages + "/bleak", F_OK) == 0 else {
            throw Unmeasurable("bleak could not be installed; \(packages).log says why")
        }
        let (programEnd, observerEnd) = try UnixSocket.pair(.stream).release()
        makeBlocking(programEnd)
        let program = [
            "python3", stack.programs + "/bleak-press.py", PrivateBlueZ.bleakAddress,
            PrivateBlueZ.bleak.text.split(separator: "/").prefix(4).reduce("") { $0 + "/" + $1 },
            PrivateBlueZ.characteristicUUID,
        ]
        let part = try stack.start(program, output: programEnd, environment: ["PYTHONPATH": packages])
        _ = close(programEnd)
        return try await PressClient(
            on: stack,
            blueZ: blueZ,
            path: PrivateBlueZ.bleak,
            observerEnd: observerEnd,
            parts: [part]
        )
    }

    private init(
        on stack: StackFixture,
        blueZ: PrivateBlueZ,
        path: ObjectPath,
        observerEnd: Int32,
        parts: [ChildProcess]
    ) async throws {
        (self.stack, self.blueZ, self.path, self.parts) = (stack, blueZ, path, parts)
        observer = try Observer(adopting: OwnedDescriptor(adopting: observerEnd))
        // The first message says that it has subscribed.
        _ = try await observer.next("transmissionBegan")
    }

    func press() async throws -> Duration {
        let start = try blueZ.notify(path, 1)
        return try await observer.next(#""transmissionBegan""#).time - start
    }

    func end() {
        for part in parts { stack.end(part) }
        observer.close()
    }

    static func blockingPair() throws(SystemError) -> (Int32, Int32) {
        let ends = try UnixSocket.pair(.stream).release()
        makeBlocking(ends.0)
        makeBlocking(ends.1)
        return ends
    }

    /// Programs expect ordinary, blocking standard streams.
    static func makeBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)  // Cannot fail on a socket.
    }
}
