import EventLoop
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

@testable import pttd

@Suite struct SubscriberListTests {
    init() { withRunningLoop() }

    @Test func `the holder comes first, then applications, then others, each in the order of arrival`() {
        var subscribers = SubscriberList<String>()
        _ = subscribers.add("monitor", as: .other, processID: 10, kinds: nil)
        _ = subscribers.add("accessoryd", as: .other, processID: 20, kinds: nil)
        _ = subscribers.add("radio", as: .application, processID: 30, kinds: nil)
        _ = subscribers.add("panel", as: .other, processID: 40, kinds: nil)
        let echo = subscribers.add("echo", as: .application, processID: 50, kinds: nil)
        #expect(subscribers.inOrder == ["radio", "echo", "monitor", "accessoryd", "panel"])
        subscribers.holder = 20
        #expect(subscribers.inOrder == ["accessoryd", "radio", "echo", "monitor", "panel"])
        subscribers.holder = 50
        #expect(subscribers.inOrder == ["echo", "radio", "monitor", "accessoryd", "panel"])
        subscribers.remove(echo)
        #expect(subscribers.inOrder == ["radio", "monitor", "accessoryd", "panel"])
        _ = subscribers.add("echo", as: .application, processID: 50, kinds: nil)
        #expect(subscribers.inOrder == ["echo", "radio", "monitor", "accessoryd", "panel"])
    }

    @Test @EventLoop func `an event reaches those who named its kind or none, a recording no application`() {
        var subscribers = SubscriberList<String>()
        _ = subscribers.add("monitor", as: .other, processID: 10, kinds: nil)
        _ = subscribers.add("accessoryd", as: .other, processID: 20, kinds: ["transmissionBegan"])
        _ = subscribers.add("radio", as: .application, processID: 30, kinds: nil)
        _ = subscribers.add("echo", as: .application, processID: 40, kinds: ["audioActivated"])
        func transmission(_ recording: AudioFormat?) -> CoreEvent {
            let origin = Origin(kind: .bluetoothButton, identifier: "1", name: "Button")
            return .transmissionBegan(
                transmission: Transmission(
                    transmissionID: TransmissionID(rawValue: 1),
                    source: .handsfreeButton,
                    origin: origin,
                    began: 1,
                    recording: recording
                )
            )
        }
        func receivers(_ event: CoreEvent) -> [String] {
            let kind = CoreService.update(event, sequence: 1, time: MonotonicTime(nanoseconds: 1)).eventKind
            #expect(kind == event.kind)
            return subscribers.receivers(of: event, kind: kind)
        }
        #expect(receivers(transmission(nil)) == ["radio", "monitor", "accessoryd"])
        #expect(receivers(transmission(.standard)) == ["monitor", "accessoryd"])
        #expect(receivers(.audioActivated) == ["radio", "echo", "monitor"])
        #expect(receivers(.volumeChanged(volume: 1)) == ["radio", "monitor"])
    }

    @Test @EventLoop func `a running core sends a subscriber only the kinds that it named`() async throws {
        let core = try await CoreFixture.start()
        defer { withExtendedLifetime(core) {} }
        let (updates, client) = (AsyncQueue(of: ChannelInterface.Update.self), try core.connect())
        let subscriber = try core.connect().client
        defer { subscriber.close() }
        let request = ChannelInterface.SubscribeRequest(kinds: ["channelLeft"])
        subscriber.subscribe(ChannelInterface.subscribe.qualifiedName, .encoding(request)) { answer, _ in
            if case .success(let parameters) = answer,
                let update = try? parameters.decode(ChannelInterface.Update.self)
            {
                updates.add(update)
            }
        }
        #expect(try await updates.next().status != nil)
        _ = try await client.join()
        try await client.leave()
        #expect(try await updates.next().event?.kind == "channelLeft")
    }

    @Test @EventLoop func `a running core publishes to its subscribers in the order of their arrival`()
        async throws
    {
        let core = try await CoreFixture.start()
        defer { withExtendedLifetime(core) {} }
        var readers: [Reader] = []
        for _ in 0..<12 { readers.append(try await Reader(core)) }
        let client = try core.connect()
        for _ in 0..<25 {
            _ = try await client.join()
            try await readers.expectInOrder()
            try await client.leave()
            try await readers.expectInOrder()
        }
    }
}

/// A subscriber that reads only when the test looks at it.
@EventLoop
private final class Reader {
    private let descriptor: OwnedDescriptor
    private var count = 0

    init(_ core: CoreFixture) async throws {
        descriptor = try UnixSocket.connect(to: core.directory + "/pushtotalk/core", .stream)
        let call = Array(#"{"method":"org.pushtotalk.Channel.Subscribe","more":true}"#.utf8) + [0]
        guard send(descriptor.value, call, call.count, Int32(MSG_NOSIGNAL)) == call.count else {
            throw SystemError("subscribe")
        }
        // The status.
        try await until { messages() >= 1 }
    }

    func isReadable() async throws {
        let readable = AsyncQueue(of: Bool.self)
        let source = try DescriptorSource(descriptor.value, .readable) { _ in readable.add(true) }
        defer { source.cancel() }
        _ = try await readable.next()
    }

    /// The number of messages that have arrived so far.
    func messages() -> Int {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let length = recv(descriptor.value, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if length > 0 { count += bytes[..<length].count { $0 == 0 } }
        return count
    }
}

extension [Reader] {
    /// Looks at the last subscriber first, so that it can have no message that an earlier one does not have.
    @EventLoop fileprivate func expectInOrder() async throws {
        try await last?.isReadable()
        let counts = reversed().map { $0.messages() }
        #expect(counts == counts.sorted())
    }
}
