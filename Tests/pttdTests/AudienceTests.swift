import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing
import Varlink

@testable import pttd

@Suite struct AudienceTests {
    init() { withRunningLoop() }

    @Test func `the holder is told first, then applications, then the others, each as they came`() {
        var audience = Audience<Int, String>()
        audience.add("monitor", 1, .other, processID: 10)
        audience.add("accessoryd", 2, .other, processID: 20)
        audience.add("radio", 3, .application, processID: 30)
        audience.add("panel", 4, .other, processID: 40)
        audience.add("echo", 5, .application, processID: 50)
        #expect(audience.inOrder == ["radio", "echo", "monitor", "accessoryd", "panel"])
        audience.holder = 20
        #expect(audience.inOrder == ["accessoryd", "radio", "echo", "monitor", "panel"])
        audience.holder = 50
        #expect(audience.inOrder == ["echo", "radio", "monitor", "accessoryd", "panel"])
        audience.remove(5)
        #expect(audience.inOrder == ["radio", "monitor", "accessoryd", "panel"])
        audience.add("echo", 6, .application, processID: 50)
        #expect(audience.inOrder == ["echo", "radio", "monitor", "accessoryd", "panel"])
    }

    @Test @EventLoop func `a running core tells its subscribers in the order in which they came`()
        async throws
    {
        let core = try await CoreFixture.start()
        defer { withExtendedLifetime(core) {} }
        var listeners: [Listener] = []
        for _ in 0..<12 { listeners.append(try await Listener(core)) }
        let client = try core.connect()
        for _ in 0..<25 {
            _ = try await client.join()
            try await listeners.expectInOrder()
            try await client.leave()
            try await listeners.expectInOrder()
        }
    }
}

/// A subscriber that reads only when it is looked at.
@EventLoop
private final class Listener {
    private let descriptor: OwnedDescriptor
    private var count = 0

    init(_ core: CoreFixture) async throws {
        descriptor = try UnixSocket.connect(to: core.directory + "/pushtotalk/core", .stream)
        let call = Array(#"{"method":"org.pushtotalk.Channel.Subscribe","more":true}"#.utf8) + [0]
        guard send(descriptor.value, call, call.count, Int32(MSG_NOSIGNAL)) == call.count else {
            throw SystemError("subscribe")
        }
        // The status.
        try await isReadable()
        while messages() < 1 {}
    }

    func isReadable() async throws {
        let readable = AsyncQueue(of: Bool.self)
        let source = try DescriptorSource(descriptor.value, .readable) { _ in readable.add(true) }
        defer { source.cancel() }
        _ = try await readable.next()
    }

    /// All that came until now.
    func messages() -> Int {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let length = recv(descriptor.value, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if length > 0 { count += bytes[..<length].count { $0 == 0 } }
        return count
    }
}

extension [Listener] {
    /// Who is told last is looked at first, so that it has no message that an earlier one has not.
    @EventLoop fileprivate func expectInOrder() async throws {
        try await last?.isReadable()
        let counts = reversed().map { $0.messages() }
        #expect(counts == counts.sorted())
    }
}
