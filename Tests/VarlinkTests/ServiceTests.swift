import EventLoop
import JSON
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1))) struct ServiceTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `GetInfo and GetInterfaceDescription describe the service`() async throws {
        let served = try ServerFixture()
        let info = try await served.client.call("org.varlink.service.GetInfo")
        #expect(info["vendor"] == "Vendor")
        #expect(info["interfaces"] == ["org.varlink.service", "org.example.Test"])
        let description = try await served.client.call(
            "org.varlink.service.GetInterfaceDescription",
            ["interface": "org.example.Test"]
        )
        #expect(description["description"] == .string(ServerFixture.description))
    }

    @Test @EventLoop func `an unknown interface, method or parameter has its error`() async throws {
        let served = try ServerFixture()
        let cases: [(String, JSONText, VarlinkError)] = [
            ("org.example.Test.Nope", [:], .methodNotFound("org.example.Test.Nope")),
            ("org.example.Nope.Echo", [:], .interfaceNotFound("org.example.Nope")),
            ("Echo", [:], .invalidParameter("method")),
            ("org.varlink.service.GetInfo", ["x": 1], .invalidParameter("x")),
            ("org.varlink.service.GetInterfaceDescription", [:], .invalidParameter("interface")),
            ("org.varlink.service.GetInterfaceDescription", ["interface": 1], .invalidParameter("interface")),
            ("org.varlink.service.GetInterfaceDescription", ["interface": "x.y"], .interfaceNotFound("x.y")),
        ]
        for (method, parameters, error) in cases {
            await #expect(throws: VarlinkCallError.answered(error)) {
                try await served.client.call(method, parameters)
            }
        }
    }

    @Test func `a declared method without a handler stops the program at its start`() async {
        await #expect(processExitsWith: .failure) {
            _ = VarlinkInterface("interface org.example.Test\nmethod Echo() -> ()", methods: [:])
        }
    }

    @Test func `a handler of an undeclared method stops the program at its start`() async {
        await #expect(processExitsWith: .failure) {
            _ = VarlinkInterface("interface org.example.Test", methods: ["Echo": { $0.reply() }])
        }
    }

    @Test @EventLoop
    func `calls made together have their replies in order, also if a handler replies later`()
        async throws
    {
        let served = try ServerFixture()
        var answers: [JSON?] = []
        served.client.call("org.example.Test.Later", ["n": 1]) { answers.append((try? $0.get())?["n"]) }
        served.client.call("org.example.Test.Echo", ["n": 2]) { answers.append((try? $0.get())?["n"]) }
        served.client.callOneway("org.example.Test.Echo", ["n": 3])
        let last = try await served.client.call("org.example.Test.Echo", ["n": 4])
        #expect(answers == [1, 2])
        #expect(last["n"] == 4)
    }

    @Test @EventLoop func `a subscription has several replies, the last of them marked`() async throws {
        let served = try ServerFixture()
        let replies = try await served.client.replies(to: "org.example.Test.Count", ["n": 3])
        #expect(replies.map { $0["n"] } == [1, 2, 3])
        await #expect(throws: VarlinkCallError.answered(.expectedMore)) {
            try await served.client.call("org.example.Test.Count", ["n": 3])
        }
    }

    @Test @EventLoop func `replies after the last one do not reach the client`() async throws {
        let served = try ServerFixture()
        let peers = [try served.connect(), try served.connect()]
        for peer in peers { try peer.send(#"{"method":"org.example.Test.Hold","more":true}"#) }
        let caller = try served.connect()
        try caller.send(#"{"method":"org.example.Test.Hold"}"#)
        // The messages sent before this call have been handled when it has its reply.
        _ = try await served.client.call("org.example.Test.Later")
        try #require(served.held.count == 3)
        for call in served.held {
            call.reply(["n": 1], continues: true)
            call.reply(["n": 2])
            call.reply(["n": 3], continues: true)
        }
        for peer in peers {
            #expect(try await peer.next() == #"{"parameters":{"n":1},"continues":true}"#)
            #expect(try await peer.next() == #"{"parameters":{"n":2}}"#)
        }
        #expect(try await caller.next() == #"{"error":"org.varlink.service.ExpectedMore"}"#)
        try caller.send(#"{"method":"org.example.Test.Echo","parameters":{"n":3}}"#)
        #expect(try await caller.next() == #"{"parameters":{"n":3}}"#)
    }
}
