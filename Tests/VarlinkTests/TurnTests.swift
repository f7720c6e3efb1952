import EventLoop
import Glibc
import JSON
import TestSupport
import Testing

@testable import Varlink

/// The order in which connections are served.
@Suite struct TurnTests {
    init() { withRunningLoop() }

    private static let echo = #"{"method":"org.example.Test.Echo"}"#
    private static let hold = #"{"method":"org.example.Test.Hold","more":true}"#
    private static let oneway = #"{"method":"org.example.Test.Echo","oneway":true}"#

    /// A peer and its connection on the server's side; its call of `Hold` has its reply.
    @EventLoop
    private func known(to served: ServerFixture) async throws -> (RawPeer, VarlinkConnection) {
        let peer = try served.connect()
        let count = served.held.count
        try peer.send(Self.hold)
        try await served.turns { served.held.count > count }
        let call = try #require(served.held.last)
        call.reply()
        _ = try await peer.next()
        return (peer, call.connection)
    }

    /// A client may close one connection and call on the next before the server has accepted that.
    @Test @EventLoop func `peers that wait together are accepted one after the other, each in a turn`()
        async throws
    {
        let scratch = try Scratch()
        let path = scratch.directory + "/socket"
        let turns = AsyncQueue(of: MonotonicInstant.self)
        let listener = try SocketListener(try UnixSocket.listen(at: path, .stream)) { result in
            guard case .success(let descriptor) = result else { return }
            _ = close(descriptor)
            turns.add(EventLoop.turnTime)
        }
        let clients = try (0..<3).map { _ in try VarlinkClient(connectingTo: path) }
        let accepted = try await turns.next(3)
        #expect(accepted[0] < accepted[1] && accepted[1] < accepted[2])
        withExtendedLifetime((listener, clients)) {}
    }

    @Test @EventLoop func `other connections are served after a few messages of one`() async throws {
        let served = try ServerFixture()
        let greedy = try served.connect()
        let other = try served.connect()
        try greedy.send([String](repeating: Self.oneway, count: 1000))
        try other.send(Self.echo)
        #expect(try await other.next() == #"{"parameters":{}}"#)
        let place = try #require(served.echoed.firstIndex { $0 !== served.echoed[0] })
        #expect(place <= 2 * 16, "two turns, in the worst order")
        try await served.turns { served.echoes >= 1001 }
    }

    @Test @EventLoop func `an important connection is served before those that waited before it`()
        async throws
    {
        let served = try ServerFixture()
        let (peer, connection) = try await known(to: served)
        connection.priority = .important
        let others = try (0..<20).map { _ in try served.connect() }
        let before = served.echoes
        for other in others { try other.send(Self.echo) }
        try peer.send(Self.echo)
        for other in others { _ = try await other.next() }
        #expect(served.echoed[before] === connection)
    }

    @Test @EventLoop func `no connection is served before others for long`() async throws {
        let served = try ServerFixture()
        let (greedy, connection) = try await known(to: served)
        connection.priority = .important
        let before = served.echoes
        try greedy.send([String](repeating: Self.oneway, count: 2000))
        let other = try served.connect()
        try other.send(Self.echo)
        #expect(try await other.next() == #"{"parameters":{}}"#)
        let place = try #require(served.echoed[before...].firstIndex { $0 !== connection })
        #expect(place - before <= 2 * 16)
    }

    @Test @EventLoop func `calls behind a slow one are not read`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(Self.hold)
        let text =
            #"{"method":"org.example.Test.Echo","parameters":{"x":"\#(String(repeating: "x", count: 60_000))"}}"#
        try await served.turns { !served.held.isEmpty }
        var sent = peer.sendAsMuchAsPossible(text)
        for _ in 0..<20 {
            _ = try await served.client.call("org.example.Test.Echo")
            sent += peer.sendAsMuchAsPossible(text)
        }
        #expect(sent < 10, "some hundred kilobytes are in the kernel, none here")
        served.held[0].reply()
        for _ in 0..<sent { _ = try await peer.next() }
    }

    @Test @EventLoop func `a peer that accepts no more replies has disconnected`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(Self.hold)
        try await served.turns { !served.held.isEmpty }
        let call = served.held[0]
        let closed = AsyncQueue(of: Void.self)
        call.connection.onClose { closed.add(()) }
        peer.stopReading()
        _ = try await served.client.call("org.example.Test.Echo")
        var wasClosed = false
        call.connection.onClose { wasClosed = true }
        call.reply(continues: true)
        #expect(!wasClosed, "not from inside a handler that answers")
        try await closed.next()
        #expect(served.log.isEmpty)
    }

    @Test @EventLoop
    func `a peer that accepts no more replies has disconnected, however much it has not read`()
        async throws
    {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(Self.hold)
        try await served.turns { !served.held.isEmpty }
        let call = served.held[0]
        let closed = AsyncQueue(of: Void.self)
        call.connection.onClose { closed.add(()) }
        for _ in 0..<20 { call.reply(["x": .string(String(repeating: "x", count: 60_000))], continues: true) }
        peer.stopReading()
        _ = try await served.client.call("org.example.Test.Echo")
        call.reply(continues: true)
        try await closed.next()
    }

    @Test @EventLoop
    func `the connection that has held memory longest is closed when all together hold too much`()
        async throws
    {
        var limits = VarlinkLimits()
        limits.sharedBytes = 400_000
        let served = try ServerFixture(limits: limits)
        let half = Array(
            #"{"method":"org.example.Test.Echo","parameters":{"x":"\#(String(repeating: "x", count: 60_000))"#
                .utf8
        )
        let peers = try (0..<8).map { _ in try served.connect() }
        for peer in peers {
            try peer.send(half)
            for _ in 0..<3 { _ = try await served.client.call("org.example.Test.Echo") }
        }
        #expect(try await peers[0].next()?.contains("InvalidParameter") == true)
        #expect(try await peers[0].next() == nil)
        #expect(served.log.allSatisfy { $0.contains("400000 bytes") })
        try peers[7].send(Array("\"}}".utf8) + [0])
        #expect(try await peers[7].next()?.hasPrefix(#"{"parameters":{"x":"xxx"#) == true)
    }

    @Test @EventLoop func `a long unread reply is dropped when all together hold too much`()
        async throws
    {
        var limits = VarlinkLimits()
        limits.sharedBytes = 2_000_000
        let served = try ServerFixture(limits: limits)
        let peers = try (0..<4).map { _ in try served.connect() }
        for (number, peer) in peers.enumerated() {
            try peer.send(Self.hold)
            try await served.turns { served.held.count > number }
            served.held[number].reply(["x": .string(String(repeating: "x", count: 900_000))], continues: true)
        }
        #expect(try await peers[0].next() == nil, "nothing follows what is in the kernel")
        #expect(served.log.allSatisfy { $0.contains("2000000 bytes") })
        #expect(try await peers[3].next()?.contains(#""continues":true"#) == true)
    }

    @Test @EventLoop func `a message of too many values ends its connection`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        let zeros = "[" + String(repeating: "[],", count: 10_000) + "0]"
        try peer.send(#"{"method":"org.example.Test.Echo","parameters":{"x":\#(zeros)}}"#)
        #expect(try await peer.next()?.contains("InvalidParameter") == true)
        #expect(try await peer.next() == nil)
        #expect(served.log.first?.contains("too many values") == true)
    }
}
