import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// A program that publishes more events than another reads.
@Suite(.serialized) struct FloodTests {
    init() { withRunningLoop() }

    private static let refused =
        #"{"method":"org.pushtotalk.Channel.BeginTransmitting","oneway":true,"parameters":{"source":"userRequest","#
        + #""origin":{"kind":"application","identifier":"flood","name":"Flood"}}}"#
    private static let volume =
        #"{"method":"org.pushtotalk.Channel.SetVolume","oneway":true,"parameters":{"volume":1}}"# + "\0"
        + #"{"method":"org.pushtotalk.Channel.SetVolume","oneway":true,"parameters":{"volume":2}}"#

    @Test(arguments: [refused, volume])
    @EventLoop func `a program that calls without end costs no other its subscription`(call: String)
        async throws
    {
        let core = try await CoreFixture.start()
        let (subscriber, flood) = (try Peer(core), try Peer(core))
        try subscriber.send(#"{"method":"org.pushtotalk.Channel.Subscribe","more":true}"#)
        var (received, count) = ("", 0)
        let (end, limit) = (MonotonicInstant.now + .seconds(3), MonotonicInstant.now + .seconds(30))
        while .now < end || count <= 50_000 && .now < limit, !received.contains("SubscriberLagged") {
            while flood.isAccepted(call) {}
            // It reads some five hundred events a second: more than a person causes, and less than a program
            // can.
            await pause(.milliseconds(10))
            let read = subscriber.read(1200)
            (received, count) = (received.suffix(100) + read, count + read.utf8.count)
        }
        #expect(!received.contains("SubscriberLagged"))
        #expect(try await core.connect().status().channel == nil)
        #expect(count > 50_000, "it was not flooded")
    }
}

/// One end of a connection to the core, which reads only what the test asks for.
@EventLoop
private final class Peer {
    private let descriptor: OwnedDescriptor
    /// The bytes that the socket had no room for.
    private var rest: [UInt8] = []

    init(_ core: CoreFixture) throws {
        descriptor = try UnixSocket.connect(to: core.directory + "/pushtotalk/core", .stream)
    }

    func send(_ text: String) throws {
        guard isAccepted(text), rest.isEmpty else { throw SystemError("send") }
    }

    /// True if the socket had room for a part of it at least.
    func isAccepted(_ text: String) -> Bool {
        if rest.isEmpty { rest = Array(text.utf8) + [0] }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let count = Glibc.send(descriptor.value, rest, rest.count, flags)
        guard count > 0 else { return false }
        rest.removeFirst(count)
        return true
    }

    func read(_ limit: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor.value, &bytes, limit, Int32(MSG_DONTWAIT))
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
}
