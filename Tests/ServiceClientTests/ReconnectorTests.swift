import EventLoop
import Glibc
import TestSupport
import Testing

@testable import ServiceClient

/// With real sockets, in a runtime directory that has none at first.
@Suite(.serialized) struct ReconnectorTests {
    init() { withRunningLoop() }

    /// Without the watch before the last attempt, nothing would find this socket.
    @Test @EventLoop func `a socket that appears right after the last attempt has failed is connected to`()
        async throws
    {
        let runtime = try RuntimeDirectory()
        try runtime.makeSocketDirectory()
        let client = Client()
        client.failed = { if $0 == Reconnection.attemptLimit { try runtime.listen() } }
        client.start()
        #expect(try await client.results.next(8) == [Bool](repeating: false, count: 8))
        #expect(try await client.results.next())
        client.stop()
    }

    @Test @EventLoop func `the directory of the socket may appear later too`() async throws {
        let runtime = try RuntimeDirectory()
        let client = Client()
        client.start()
        #expect(try await client.results.next(8) == [Bool](repeating: false, count: 8))
        try runtime.makeSocketDirectory()
        try runtime.listen()
        #expect(try await client.results.next())
        client.stop()
    }

    @Test @EventLoop func `a request starts an attempt immediately, the first of eight`() async throws {
        let runtime = try RuntimeDirectory()
        let client = Client()
        client.start()
        #expect(try await client.results.next(8) == [Bool](repeating: false, count: 8))
        client.reconnector.handle(.requestMade)
        #expect(client.attempts == 9)
        #expect(try await client.results.next(8) == [Bool](repeating: false, count: 8))
        try runtime.makeSocketDirectory()
        try runtime.listen()
        #expect(try await client.results.next())
        client.stop()
    }
}

/// `XDG_RUNTIME_DIR`, and the core's socket in it.
@EventLoop
private final class RuntimeDirectory {
    private let path = "/tmp/ptt-runtime-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    private var listener: ClosingListener?

    init() throws {
        guard mkdir(path, 0o700) == 0 else { throw SystemError("create \(path)") }
        setenv("XDG_RUNTIME_DIR", path, 1)
    }

    isolated deinit {
        listener?.close()
        _ = rmdir(path + "/pushtotalk")
        _ = rmdir(path)
    }

    func makeSocketDirectory() throws {
        guard mkdir(path + "/pushtotalk", 0o700) == 0 else { throw SystemError("create \(path)/pushtotalk") }
    }

    func listen() throws { listener = try ClosingListener(at: path + "/pushtotalk/core") }
}

/// A client that does nothing but connect, with delays of a millisecond.
@EventLoop
private final class Client {
    /// True for each attempt that reached a socket.
    nonisolated let results = AsyncQueue(of: Bool.self)
    private(set) var attempts = 0
    /// Called with the number of the attempt that has failed.
    var failed: (Int) throws -> Void = { _ in }
    private var connection: ServiceConnection?
    private(set) lazy var reconnector = Reconnector(
        to: .core,
        backOff: BackOff(first: .milliseconds(1), limit: .milliseconds(1)),
        connect: { [weak self] () throws(ServiceError) in try self?.connect() },
        unreachable: { [weak self] _ in self?.unreachable() },
        unwatchable: { Issue.record("\($0)") }
    )

    func start() { reconnector.handle(.started) }

    func stop() {
        reconnector.handle(.stopped)
        connection?.close()
    }

    private func connect() throws(ServiceError) {
        attempts += 1
        connection = try ServiceConnection.core()
        reconnector.handle(.answered)
        results.add(true)
    }

    private func unreachable() {
        #expect(throws: Never.self) { try failed(attempts) }
        results.add(false)
    }
}
