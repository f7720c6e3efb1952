import EventLoop
import JSON
import TestSupport
import Varlink

/// A server with a test interface, and a client of it, in this process.
@EventLoop
final class ServerFixture {
    static let description = """
        # For tests
        interface org.example.Test
        method Echo() -> ()
        method Later() -> ()
        method Count(n: int) -> (n: int)
        method Drop() -> ()
        method Hold() -> ()
        error SubscriberLagged ()
        """

    private(set) var server: VarlinkServer
    private(set) var log: [String] = []
    let client: VarlinkClient
    /// Calls of `Hold`, which have no reply here.
    private(set) var held: [VarlinkCall] = []
    private(set) var echoes = 0
    /// The connections that called `Echo`, in the order in which they were served.
    private(set) var echoed: [VarlinkConnection] = []
    private var later: DeferredSource?

    init(limits: VarlinkLimits = VarlinkLimits(), allowedUser: UInt32? = nil) throws {
        let info = VarlinkServiceInfo(
            vendor: "Vendor",
            product: "Product",
            version: "1",
            url: "https://example.org"
        )
        let box = Box()
        let interface = VarlinkInterface(
            Self.description,
            methods: [
                "Echo": { box.served?.echo($0) },
                "Later": { box.served?.replyLater(to: $0) },
                "Count": { call throws(VarlinkError) in
                    guard case .int(let count)? = call.parameters["n"] else { throw .invalidParameter("n") }
                    for number in 1...count { call.reply(["n": .int(number)], continues: number < count) }
                },
                "Drop": { _ in },
                "Hold": { box.served?.held.append($0) },
            ]
        )
        server = VarlinkServer(info, [interface], limits: limits, allowedUser: allowedUser) { line, _ in
            box.served?.log.append(line)
        }
        let (near, far) = try UnixSocket.pair(.stream)
        try server.serve(OwnedDescriptor(adopting: far))
        client = try VarlinkClient(adopting: OwnedDescriptor(adopting: near))
        box.served = self
    }

    /// Another client, which sends bytes as they are.
    func connect() throws -> RawPeer {
        let (peer, far) = try RawPeer.pair()
        try server.serve(OwnedDescriptor(adopting: far))
        return peer
    }

    /// Gives the server turns until it has got so far.
    func turns(until isReached: () -> Bool) async throws {
        let deadline = Deadline()
        while !isReached() {
            try deadline.check()
            _ = try await client.call("org.example.Test.Later")
        }
    }

    private final class Box {
        weak var served: ServerFixture?
    }

    private func echo(_ call: VarlinkCall) {
        echoes += 1
        echoed.append(call.connection)
        call.reply(JSONText(call.parameters))
    }

    private func replyLater(to call: VarlinkCall) {
        let later = DeferredSource { call.reply(JSONText(call.parameters)) }
        later.trigger()
        self.later = later
    }
}

extension VarlinkClient {
    /// The replies to a call with `more`, when the last one has arrived.
    func replies(to method: String, _ parameters: JSONText) async throws -> [JSONObject] {
        let arrived = AsyncQueue(of: (reply: Answer, continues: Bool).self)
        subscribe(method, parameters) { arrived.add(($0, $1)) }
        var replies: [JSONObject] = []
        while true {
            let (reply, continues) = try await arrived.next()
            replies.append(try reply.get())
            if !continues { return replies }
        }
    }
}
