import EventLoop
import Glibc
import JSON
import TestSupport
import Testing
import Varlink

@Suite struct ClientTests {
    init() { withRunningLoop() }

    @EventLoop
    private func connected() throws -> (VarlinkClient, RawPeer) {
        let (peer, far) = try RawPeer.pair()
        return (try VarlinkClient(adopting: OwnedDescriptor(adopting: far)), peer)
    }

    @Test @EventLoop func `messages have no members with default values`() async throws {
        let (client, peer) = try connected()
        client.call("a.b.C") { _ in }
        client.call("a.b.C", ["x": 1]) { _ in }
        client.callOneway("a.b.C")
        client.subscribe("a.b.C") { _, _ in }
        #expect(try await peer.next() == #"{"method":"a.b.C"}"#)
        #expect(try await peer.next() == #"{"method":"a.b.C","parameters":{"x":1}}"#)
        #expect(try await peer.next() == #"{"method":"a.b.C","oneway":true}"#)
        #expect(try await peer.next() == #"{"method":"a.b.C","more":true}"#)
    }

    @Test @EventLoop func `the last reply may have continues false`() async throws {
        let (client, peer) = try connected()
        let answers = AsyncQueue(of: String.self)
        client.subscribe("a.b.C") { answer, continues in
            answers.add("\((try? answer.get())?["n"] ?? nil) \(continues)")
        }
        try peer.send(
            #"{"parameters":{"n":1},"continues":true}"#,
            #"{"parameters":{"n":2},"continues":false}"#
        )
        #expect(try await answers.next(2) == ["int(1) true", "int(2) false"])
    }

    @Test @EventLoop func `a service that does not reply in time is disconnected`() async throws {
        let (client, peer) = try connected()
        let ended = AsyncQueue(of: VarlinkCallError.self)
        client.onClose = { ended.add($0) }
        let error = VarlinkCallError.timedOut(method: "a.b.C", limit: .milliseconds(30))
        await #expect(throws: error) { try await client.call("a.b.C", timeLimit: .milliseconds(30)) }
        #expect(try await ended.next() == error)
        #expect(try await peer.next() == #"{"method":"a.b.C"}"#)
        #expect(try await peer.next() == nil)
        await #expect(throws: error) { try await client.call("a.b.C") }
    }

    @Test @EventLoop func `a time limit holds for each call and not for the events of a subscription`()
        async throws
    {
        let (client, peer) = try connected()
        let answers = AsyncQueue(of: String.self)
        client.call("a.b.C", timeLimit: .seconds(1)) { _ in answers.add("call") }
        try peer.send(#"{}"#)
        #expect(try await answers.next() == "call")
        client.subscribe("a.b.D", timeLimit: .seconds(1)) { _, continues in
            answers.add("event \(continues)")
        }
        try peer.send(#"{"continues":true}"#)
        #expect(try await answers.next() == "event true")
        let later = TimerSource { try? peer.send(#"{"continues":true}"#) }
        later.arm(after: .milliseconds(1200))
        #expect(try await answers.next() == "event true")
    }

    @Test(arguments: [
        "bad", "[]", #"{"error":1}"#, #"{"continues":true}"#, #"{"parameters":{},"bogus":1}"#,
        #"{"error":"a.b.C","continues":true}"#,
    ])
    @EventLoop
    func `a service that breaks the protocol is disconnected, and the call fails`(text: String) async throws {
        let (client, peer) = try connected()
        let answers = AsyncQueue(of: String.self)
        client.onClose = { _ in answers.add("closed") }
        client.call("a.b.C") { answer in
            if case .failure(.disconnected(let reason)) = answer { answers.add(reason) }
        }
        try peer.send(text)
        #expect(try await answers.next().hasPrefix("it sent"))
        #expect(try await answers.next() == "closed")
    }

    @Test @EventLoop func `a reply without a call ends the connection`() async throws {
        let (client, peer) = try connected()
        let ended = AsyncQueue(of: VarlinkCallError.self)
        client.onClose = { ended.add($0) }
        try peer.send("{}")
        #expect(try await ended.next() == .disconnected("it sent a reply without a call"))
    }

    @Test @EventLoop
    func `calls that wait fail when the client is closed, and its close handler is not called`()
        async throws
    {
        let (client, peer) = try connected()
        let answers = AsyncQueue(of: VarlinkCallError.self)
        client.onClose = { _ in Issue.record("the close handler was called") }
        client.call("a.b.C") { if case .failure(let error) = $0 { answers.add(error) } }
        client.close()
        #expect(try await answers.next() == .disconnected("closed here"))
        #expect(try await peer.next() == #"{"method":"a.b.C"}"#)
        #expect(try await peer.next() == nil)
    }

    @Test @EventLoop func `large messages pass in both directions`() async throws {
        let served = try ServerFixture()
        let text = JSON.string(String(repeating: "ä\n", count: 20_000))
        #expect(try await served.client.call("org.example.Test.Echo", ["x": text])["x"] == text)
    }
}
