import EventLoop
import Glibc
import JSON
import TestSupport
import Testing
import Varlink

@Suite struct LifetimeTests {
    init() { withRunningLoop() }

    /// As ptt-keys does, whose one client takes the keys with it.
    @Test @EventLoop func `a server may stop in the handler of a connection that ends`() async throws {
        @EventLoop final class Box {
            var server: VarlinkServer?
        }
        let (box, stopped) = (Box(), AsyncQueue(of: Void.self))
        let interface = VarlinkInterface(
            "interface org.example.Test\nmethod Echo() -> ()",
            methods: [
                "Echo": { call in
                    call.connection.onClose {
                        box.server?.stop()
                        stopped.add(())
                    }
                    call.reply()
                }
            ]
        )
        let info = VarlinkServiceInfo(vendor: "V", product: "P", version: "1", url: "https://example.org")
        let server = VarlinkServer(info, [interface]) { _, _ in }
        box.server = server
        let (near, far) = try UnixSocket.pair(.stream)
        try server.serve(OwnedDescriptor(adopting: far))
        let client = try VarlinkClient(adopting: OwnedDescriptor(adopting: near))
        _ = try await client.call("org.example.Test.Echo")
        client.close()
        try await stopped.next()
        // In a later turn of the loop.
        let other = try ServerFixture()
        _ = try await other.client.call("org.example.Test.Echo")
    }

    @Test @EventLoop func `calls wait while one is handled, and are read only up to the limit`()
        async throws
    {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(#"{"method":"org.example.Test.Hold"}"#)
        try peer.send((0..<1000).map { #"{"method":"org.example.Test.Echo","parameters":{"n":\#($0)}}"# })
        _ = try await served.client.call("org.example.Test.Echo")
        #expect(served.echoes == 1)
        let call = try #require(served.held.first)
        call.reply(["held": true])
        #expect(try await peer.next() == #"{"parameters":{"held":true}}"#)
        for number in 0..<1000 { #expect(try await peer.next() == #"{"parameters":{"n":\#(number)}}"#) }
    }

    @Test @EventLoop func `a subscriber that does not read receives a last error and does not delay others`()
        async throws
    {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(#"{"method":"org.example.Test.Hold","more":true}"#)
        _ = try await served.client.call("org.example.Test.Echo")
        let call = try #require(served.held.first)
        let closed = AsyncQueue(of: Void.self)
        call.connection.onClose { closed.add(()) }
        let payload = JSON.string(String(repeating: "x", count: 2000))
        for number in 0..<600 { call.reply(["n": .int(Int64(number)), "x": payload], continues: true) }
        try await closed.next()
        _ = try await served.client.call("org.example.Test.Echo")
        var last: String?
        var count = 0
        while let message = try await peer.next() {
            last = message
            count += 1
            if message.hasPrefix("{\"error") { break }
            #expect(
                message.hasPrefix(#"{"parameters":{"n":\#(count - 1),"x":"xxx"#) && message.hasSuffix("}")
            )
        }
        #expect(last == #"{"error":"org.example.Test.SubscriberLagged"}"#)
        #expect(count < 500)
        #expect(try await peer.next() == nil)
        #expect(served.log.contains { $0.contains("does not read") })
    }

    @Test @EventLoop func `a subscriber that reads slowly misses nothing within the limit`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(#"{"method":"org.example.Test.Hold","more":true}"#)
        _ = try await served.client.call("org.example.Test.Echo")
        let call = try #require(served.held.first)
        let payload = JSON.string(String(repeating: "x", count: 2000))
        for number in 0..<200 {
            call.reply(["n": .int(Int64(number)), "x": payload], continues: number < 199)
        }
        for number in 0..<200 {
            #expect(try await peer.next()?.hasPrefix(#"{"parameters":{"n":\#(number),"#) == true)
        }
    }

    @Test @EventLoop func `the end of a client is reported immediately, also while its call is handled`()
        async throws
    {
        let served = try ServerFixture()
        var peer: RawPeer? = try served.connect()
        try peer?.send(#"{"method":"org.example.Test.Hold"}"#)
        _ = try await served.client.call("org.example.Test.Echo")
        let call = try #require(served.held.first)
        let closed = AsyncQueue(of: Void.self)
        call.connection.onClose { closed.add(()) }
        peer = nil
        try await closed.next()
        call.reply()
        call.connection.onClose { closed.add(()) }
        try await closed.next()
        #expect(peer == nil)
    }

    @Test @EventLoop
    func `the end of a client is reported also while so many calls wait that nothing is read`()
        async throws
    {
        let served = try ServerFixture()
        var peer: RawPeer? = try served.connect()
        try peer?.send(#"{"method":"org.example.Test.Hold"}"#)
        try peer?.send([String](repeating: #"{"method":"org.example.Test.Echo"}"#, count: 500))
        _ = try await served.client.call("org.example.Test.Echo")
        let closed = AsyncQueue(of: Void.self)
        try #require(served.held.first).connection.onClose { closed.add(()) }
        peer = nil
        try await closed.next()
        #expect(served.echoes == 1)
    }

    @Test @EventLoop func `a call that is dropped without a reply closes its connection`() async throws {
        let served = try ServerFixture()
        let peer = try served.connect()
        try peer.send(#"{"method":"org.example.Test.Drop"}"#)
        #expect(try await peer.next() == nil)
        #expect(served.log.contains { $0.contains("no handler replied to org.example.Test.Drop") })
    }

    @Test @EventLoop func `a server that stops ends its connections, and leaves the file of its socket`()
        async throws
    {
        let path = "/tmp/ptt-varlink-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        let served = try ServerFixture()
        try served.server.listen(on: try UnixSocket.listen(at: path, .stream))
        let client = try VarlinkClient(connectingTo: path)
        let ended = AsyncQueue(of: VarlinkCallError.self)
        client.onClose = { ended.add($0) }
        _ = try await client.call("org.example.Test.Echo")
        served.server.stop()
        #expect(try await ended.next() == .disconnected("the service has closed"))
        #expect(throws: SystemError("connect to \(path)", ECONNREFUSED)) {
            try VarlinkClient(connectingTo: path)
        }
    }
}
