import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// Told when the core publishes this event.
@EventLoop
func watch(for event: CoreEvent, _ queue: AsyncQueue<Bool>) throws -> ServiceConnection {
    let connection = try ServiceConnection.core()
    connection.subscribe({ if $0.event == event { queue.add(true) } }, ended: { _ in })
    return connection
}

/// The channel outlives its application and the core.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RestorationTests {
    init() { withRunningLoop() }

    /// 2.4/44, 5/64: told locally, then the core is back with the channel.
    @EventLoop
    @Test func `the core is killed while transmitting`() async throws {
        let fixture = try await LibraryFixture.set()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        fixture.core.crash()
        #expect(try await delegate.lines.next(2) == ["didEnd 0", "didDeactivate"])
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "failedToBegin unknown")
        try await fixture.restartCore()
        #expect(try await delegate.lines.next() == "didJoin 1 true")
        try await fixture.soundIsReady()
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        manager.leaveChannel(channelUUID: fixture.channel)
    }

    /// 2.4/8, 2.4/10, 5/18, 5/19, 5/23
    @EventLoop
    @Test func `a new manager gets the channel back before it is handed over`() async throws {
        let fixture = try await LibraryFixture.set()
        let detached = AsyncQueue(of: Bool.self)
        let connection = try watch(for: .applicationDetached, detached)
        let token = try await joinAndGo(fixture)
        _ = try await detached.next()
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        #expect(delegate.all == ["didJoin 1 true"])
        #expect(manager.activeChannelUUID == fixture.channel)
        #expect(try await delegate.tokens.next() == token)
        manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didJoin 1 true", "didLeave 2 true"])
        connection.close()
    }

    /// Somebody else left the channel while the application was away.
    @EventLoop
    @Test func `a channel that was left meanwhile is told with its reason`() async throws {
        let fixture = try await LibraryFixture.set()
        let detached = AsyncQueue(of: Bool.self)
        let connection = try watch(for: .applicationDetached, detached)
        _ = try await joinAndGo(fixture)
        _ = try await detached.next()
        try await fixture.leave()
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        #expect(delegate.all == ["didLeave 1 true"])
        #expect(manager.activeChannelUUID == nil)
        connection.close()
    }

    /// The rule came while the core was away, and the application was not.
    @EventLoop
    @Test func `a channel that the policy took meanwhile is told with its reason`() async throws {
        let fixture = try await LibraryFixture.set()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.core.crash()
        let policy = fixture.core.configuration("policy.toml")
        try #"deny = ["org.example.Tests"]"#.write(toFile: policy, atomically: true, encoding: .utf8)
        try await fixture.restartCore()
        #expect(try await delegate.lines.next() == "didLeave 3 true")
        #expect(manager.activeChannelUUID == nil)
    }

    /// It keeps its manager, which is of use again when the rule has gone.
    @EventLoop
    @Test func `an application that was excluded for a while is let in when it asks`() async throws {
        let fixture = try await LibraryFixture.set()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.core.crash()
        let policy = fixture.core.configuration("policy.toml")
        try #"exclude = ["org.example.Tests"]"#.write(toFile: policy, atomically: true, encoding: .utf8)
        try await fixture.restartCore()
        #expect(try await delegate.lines.next() == "didLeave 3 true")
        await #expect(throws: PTInstantiationError.self) {
            _ = try await PTChannelManager.channelManager(delegate: delegate, restorationDelegate: delegate)
        }
        try FileManager.default.removeItem(atPath: policy)
        try await fixture.restartAfterCrash()
        let again = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        #expect(again === manager)
        again.requestJoinChannel(
            channelUUID: fixture.channel,
            descriptor: PTChannelDescriptor(name: "Ops", image: nil)
        )
        #expect(try await delegate.lines.next() == "didJoin 0 true")
    }

    /// The audio socket alone is lost: the session ends, and the next has its sound.
    @EventLoop
    @Test func `the audio connection comes back by itself`() async throws {
        let fixture = try await LibraryFixture.set()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        for _ in 0..<3 {
            manager.requestBeginTransmitting(channelUUID: fixture.channel)
            #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
            var frames = AVAudioSession.sharedInstance().ptt.microphone.makeAsyncIterator()
            #expect(await frames.next() != nil)
            try fixture.closeConnections(to: .audio)
            #expect(try await delegate.lines.next(2) == ["didEnd 0", "didDeactivate"])
            #expect(try await fixture.sound.sourceOutputs() == [])
            try await audioIsBack(fixture, manager, delegate)
        }
        #expect(!delegate.all.contains { $0.hasPrefix("didLeave") || $0 == "didJoin 1 true" })
    }

    /// Begins until it is granted: nothing tells an application that its audio is there again.
    @EventLoop
    private func audioIsBack(
        _ fixture: LibraryFixture,
        _ manager: PTChannelManager,
        _ delegate: RecordingDelegate
    ) async throws {
        while true {
            manager.requestBeginTransmitting(channelUUID: fixture.channel)
            guard try await delegate.lines.next() == "didBegin 2" else { continue }
            #expect(try await delegate.lines.next() == "didActivate")
            manager.stopTransmitting(channelUUID: fixture.channel)
            #expect(try await delegate.lines.next(2) == ["didEnd 2", "didDeactivate"])
            return
        }
    }

    /// The life of a manager that joins and is dropped.
    @EventLoop
    private func joinAndGo(_ fixture: LibraryFixture) async throws -> Data {
        let delegate = RecordingDelegate()
        return try await Joined.make(fixture, delegate).token
    }

    /// 5/19, 5/21: without its file the descriptor is asked for, once, before the channel is told.
    @EventLoop
    @Test func `a lost descriptor is asked for`() async throws {
        let fixture = try await LibraryFixture.set()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.core.crash()
        try FileManager.default.removeItem(atPath: fixture.core.state("descriptor.json"))
        try await fixture.restartCore()
        #expect(try await delegate.lines.next(2) == ["channelDescriptor", "didJoin 1 true"])
        let renamed = AsyncQueue(of: Bool.self)
        let connection = try watch(for: .descriptorChanged(name: "Restored", image: nil), renamed)
        if try await fixture.status().channel?.name != "Restored" { _ = try await renamed.next() }
        #expect(try await fixture.status().channel?.name == "Restored")
        connection.close()
        manager.leaveChannel(channelUUID: fixture.channel)
    }

    /// 5/22: the core answers others meanwhile, and the late answer is not used.
    @EventLoop
    @Test func `a restoration delegate that blocks holds up only itself`() async throws {
        let fixture = try await LibraryFixture.set()
        let delegate = RecordingDelegate(holdsDescriptorFor: .milliseconds(2200))
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.core.crash()
        try FileManager.default.removeItem(atPath: fixture.core.state("descriptor.json"))
        try await fixture.restartCore()
        #expect(try await delegate.lines.next() == "channelDescriptor")
        #expect(try await fixture.status().channel?.name == "Tests")
        #expect(try await delegate.lines.next() == "didJoin 1 true")
        #expect(try await fixture.status().channel?.name == "Tests")
        manager.leaveChannel(channelUUID: fixture.channel)
    }

    /// 5/21: no channel any more.
    @EventLoop
    @Test func `a damaged state means that the channel is left`() async throws {
        let fixture = try await LibraryFixture.set()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.core.crash()
        try "{\"channelID\":".write(
            toFile: fixture.core.state("channel.json"),
            atomically: true,
            encoding: .utf8
        )
        try await fixture.restartCore()
        #expect(try await delegate.lines.next() == "didLeave 0 true")
        #expect(manager.activeChannelUUID == nil)
    }
}
