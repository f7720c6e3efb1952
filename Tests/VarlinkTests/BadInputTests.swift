import EventLoop
import Glibc
import JSON
import TestSupport
import Testing
import Varlink

@Suite struct BadInputTests {
    init() { withRunningLoop() }

    private static let echo = #"{"method":"org.example.Test.Echo"}"#

    @Test(arguments: [
        ("{\"method\"", "message"), ("hello", "message"), ("", "message"), ("[]", "message"),
        ("\u{1}", "message"),
        (#"{"method":"a.b.C","method":"a.b.C"}"#, "message"), (#"{"method":"\ud800"}"#, "message"),
        (String(repeating: "[", count: 5000), "message"), (#"{"method":1}"#, "method"),
        (#"{"method":"a.b.C","parameters":1}"#, "parameters"), (#"{"method":"a.b.C","bogus":1}"#, "bogus"),
        (#"{"method":"a.b.C","upgrade":true}"#, "upgrade"),
    ])
    @EventLoop
    func `a message that breaks the protocol has an error as reply and ends only its own connection`(
        text: String,
        key: String
    ) async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(text)
        let answer = #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"\#(key)"}}"#
        #expect(try await peer.next() == answer)
        #expect(try await peer.next() == nil)
        #expect(served.log.count == 1)
        #expect(try await served.client.call("org.example.Test.Echo", ["n": 1]) == ["n": 1])
    }

    @Test @EventLoop func `bytes that are not UTF-8 end the connection`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(Array("{\"method\":\"".utf8) + [0xFF] + Array("\"}".utf8) + [0])
        #expect(try await peer.next()?.contains("InvalidParameter") == true)
        #expect(try await peer.next() == nil)
    }

    @Test @EventLoop func `an endless message ends its connection`() async throws {
        var limits = VarlinkLimits()
        limits.messageSize = 1000
        let served = try ServerFixture(limits: limits)
        let peer = try served.connect()
        try peer.send([UInt8](repeating: UInt8(ascii: " "), count: 1001))
        #expect(try await peer.next()?.contains("InvalidParameter") == true)
        #expect(try await peer.next() == nil)
        #expect(served.log.first?.contains("more than 1000 bytes") == true)
    }

    @Test @EventLoop func `a wrong message that wants no reply receives none`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(#"{"method":"org.example.Test.Echo","oneway":true,"bogus":1}"#)
        #expect(try await peer.next() == nil)
    }

    @Test @EventLoop func `a oneway call is carried out and has no reply, also if it fails`()
        async throws
    {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(
            #"{"method":"org.example.Test.Nope","oneway":true}"#,
            #"{"method":"org.example.Test.Echo","oneway":true}"#,
            #"{"method":"org.example.Test.Later","oneway":true}"#,
            #"{"method":"org.example.Test.Count","oneway":true}"#,
            #"{"method":"org.example.Test.Echo","parameters":{"last":true}}"#
        )
        #expect(try await peer.next() == #"{"parameters":{"last":true}}"#)
        #expect(served.echoes == 2)
    }

    @Test @EventLoop func `a message may arrive byte by byte`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        for byte in Array(Self.echo.utf8) + [0] {
            try peer.send([byte])
            await Task.yield()
        }
        #expect(try await peer.next() == #"{"parameters":{}}"#)
    }

    @Test @EventLoop
    func `a message that is not completed in time ends the connection, an idle connection stays`()
        async throws
    {
        var limits = VarlinkLimits()
        limits.stallTime = .milliseconds(50)
        let served = try ServerFixture(limits: limits)
        let idle = try served.connect()
        let peer = try served.connect()
        try peer.send(Array("{\"meth".utf8))
        var trickle: TimerSource?
        trickle = TimerSource {
            try? peer.send([UInt8(ascii: " ")])
            trickle?.arm(after: .milliseconds(10))
        }
        trickle?.arm(after: .milliseconds(10))
        #expect(try await peer.next()?.contains("InvalidParameter") == true)
        #expect(try await peer.next() == nil)
        trickle?.disarm()
        trickle = nil
        try idle.send(Self.echo)
        #expect(try await idle.next() == #"{"parameters":{}}"#)
    }

    @Test @EventLoop func `a passed descriptor is closed and ends the connection`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        let (near, far) = try UnixSocket.pair(.stream)
        defer { _ = close(near) }
        try peer.send(UInt8(ascii: "{"), passing: far)
        _ = close(far)
        #expect(try await peer.next()?.contains("InvalidParameter") == true)
        #expect(try await peer.next() == nil)
        // Reading returns the end only if no process holds the other side.
        var byte: UInt8 = 0
        #expect(read(near, &byte, 1) == 0)
    }

    @Test @EventLoop func `a process of another user is refused`() async throws {
        let served = try ServerFixture(allowedUser: getuid() + 1)
        let peer = try served.connect()
        #expect(try await peer.next() == nil)
        #expect(served.log.contains { $0.contains("of user \(getuid())") })
    }

    @Test @EventLoop func `peers beyond the limit are refused until one disconnects`() async throws {
        var limits = VarlinkLimits()
        limits.connections = 3
        let served = try ServerFixture(limits: limits)
        _ = try await served.client.call("org.example.Test.Echo")
        var peers = [try served.connect(), try served.connect()]
        for peer in peers {
            try peer.send(Self.echo)
            _ = try await peer.next()
        }
        let refused = try served.connect()
        #expect(try await refused.next() == nil)
        try peers[0].send("bad")
        while try await peers[0].next() != nil {}
        peers.removeFirst()
        let late = try served.connect()
        try late.send(Self.echo)
        #expect(try await late.next() == #"{"parameters":{}}"#)
    }

    @Test @EventLoop func `a connection that has made no call gives way to another`() async throws {
        var limits = VarlinkLimits()
        limits.connections = 3
        let served = try ServerFixture(limits: limits)
        _ = try await served.client.call("org.example.Test.Echo")
        let (silent, other) = (try served.connect(), try served.connect())
        let late = try served.connect()
        #expect(try await silent.next() == nil)
        for peer in [other, late] {
            try peer.send(Self.echo)
            #expect(try await peer.next() == #"{"parameters":{}}"#)
        }
    }

    @Test @EventLoop
    func
        `a process with more than its share of connections loses its oldest to another, but an important one`()
        async throws
    {
        var limits = VarlinkLimits()
        (limits.connections, limits.share) = (3, 2)
        let served = try ServerFixture(limits: limits)
        _ = try await served.client.call("org.example.Test.Echo")
        served.echoed[0].priority = .important
        let (oldest, other) = (try served.connect(), try served.connect())
        for peer in [oldest, other] {
            try peer.send(#"{"method":"org.example.Test.Hold","more":true}"#)
        }
        try await served.turns { served.held.count >= 2 }
        let late = try served.connect()
        try late.send(Self.echo)
        #expect(try await late.next() == #"{"parameters":{}}"#)
        #expect(try await oldest.next() == nil)
        served.held[1].reply()
        #expect(try await other.next() == #"{"parameters":{}}"#)
        _ = try await served.client.call("org.example.Test.Echo")
    }

    @Test @EventLoop func `a peer that sends and never reads does not delay others`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        let text =
            #"{"method":"org.example.Test.Echo","parameters":{"x":"\#(String(repeating: "x", count: 900))"}}"#
        var sent = peer.sendAsMuchAsPossible(text)
        for _ in 0..<20 {
            _ = try await served.client.call("org.example.Test.Echo")
            sent += peer.sendAsMuchAsPossible(text)
        }
        #expect(sent > served.echoes - 21, "what is not read back is not carried out without end")
        for _ in 0..<100 { #expect(try await peer.next()?.hasPrefix(#"{"parameters":{"x":"xxx"#) == true) }
    }
}
