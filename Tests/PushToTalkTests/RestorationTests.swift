import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// Adds an element whenever the core publishes this event.
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

    /// Semantics, “A crash of the core”: the library reports the ends itself, then the core is back with the
    /// channel.
    @EventLoop
    @Test func `a core that is killed during a transmission comes back with the channel`() async throws {
        let fixture = try await LibraryFixture.start()
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

    /// Semantics, “Restoration without a push”, “A restored channel that is not wanted”, “A lost descriptor”.
    @EventLoop
    @Test func `the channel of a new manager is restored before the application receives the manager`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let detached = AsyncQueue(of: Bool.self)
        let connection = try watch(for: .applicationDetached, detached)
        let token = try await joinAndRelease(fixture)
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

    /// A person left the channel while the application was not running.
    @EventLoop
    @Test func `a channel that was left meanwhile is reported with its reason`() async throws {
        let fixture = try await LibraryFixture.start()
        let detached = AsyncQueue(of: Bool.self)
        let connection = try watch(for: .applicationDetached, detached)
        _ = try await joinAndRelease(fixture)
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

    /// The rule was added while the core was absent and the application was running.
    @EventLoop
    @Test func `a channel that the policy forbids meanwhile is reported with its reason`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.core.crash()
        let policy = fixture.core.configuration("policy.toml")
        try #"deny = ["org.example.Tests"]"#.write(toFile: policy, atomically: true, encoding: .utf8)
        try await fixture.restartCore()
        #expect(try await delegate.lines.next() == "didLeave 3 true")
        #expect(manager.activeChannelUUID == nil)
    }

    /// It keeps its manager, which works again after the rule is removed.
    @EventLoop
    @Test func `an application that was excluded for a while attaches again when it requests its manager`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
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

    /// Semantics, “One manager for each process”: whether the application is still excluded is not known yet.
    @EventLoop
    @Test func `a second request for the manager fails while an excluded application attaches again`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.core.crash()
        let policy = fixture.core.configuration("policy.toml")
        try #"exclude = ["org.example.Tests"]"#.write(toFile: policy, atomically: true, encoding: .utf8)
        try await fixture.restartCore()
        #expect(try await delegate.lines.next() == "didLeave 3 true")
        for request in 1...2 {
            PTChannelManager.channelManager(delegate: delegate, restorationDelegate: delegate) { _, error in
                let code = (error as? PTInstantiationError)?.code
                delegate.record("request \(request): \(code?.rawValue ?? -1)")
            }
        }
        let inProgress = PTInstantiationError.instantiationAlreadyInProgress.rawValue
        let excluded = PTInstantiationError.missingEntitlement.rawValue
        let results = try await delegate.lines.next(2)
        #expect(results == ["request 2: \(inProgress)", "request 1: \(excluded)"])
        withExtendedLifetime(manager) {}
    }

    /// Only the audio socket is lost: the session ends, and the next one has its frames.
    @EventLoop
    @Test func `the audio socket is connected to again after a loss`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        for _ in 0..<3 {
            manager.requestBeginTransmitting(channelUUID: fixture.channel)
            #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
            var frames = AVAudioSession.sharedInstance().ptt.microphone.makeAsyncIterator()
            #expect(await frames.next() != nil)
            try fixture.closeConnections(to: .audio)
            #expect(try await delegate.lines.next(2) == ["didEnd 0", "didDeactivate"])
            try await until(within: .seconds(3)) { try await fixture.sound.sourceOutputs() == [] }
            try await waitForAudio(of: manager, in: fixture, reportedTo: delegate)
        }
        #expect(!delegate.all.contains { $0.hasPrefix("didLeave") || $0 == "didJoin 1 true" })
    }

    /// Begins until that succeeds: no callback reports that the audio socket is connected again.
    @EventLoop
    private func waitForAudio(
        of manager: PTChannelManager,
        in fixture: LibraryFixture,
        reportedTo delegate: RecordingDelegate
    ) async throws {
        let deadline = Deadline()
        while true {
            try deadline.check()
            manager.requestBeginTransmitting(channelUUID: fixture.channel)
            guard try await delegate.lines.next() == "didBegin 2" else { continue }
            #expect(try await delegate.lines.next() == "didActivate")
            manager.stopTransmitting(channelUUID: fixture.channel)
            #expect(try await delegate.lines.next(2) == ["didEnd 2", "didDeactivate"])
            return
        }
    }

    /// Creates a manager, joins, and releases the manager.
    @EventLoop
    private func joinAndRelease(_ fixture: LibraryFixture) async throws -> Data {
        let delegate = RecordingDelegate()
        return try await Joined.make(fixture, delegate).token
    }

    /// Semantics, “A lost descriptor”, “A restart of the core”: the restoration delegate is called once,
    /// before the channel is reported.
    @EventLoop
    @Test func `a lost descriptor is requested from the restoration delegate`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        try await until { fixture.core.isSaved }
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

    /// Semantics, “A lost descriptor”: the core answers other clients meanwhile, and the late descriptor is
    /// not used.
    @EventLoop
    @Test func `a restoration delegate that blocks delays only its own application`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate(holdsDescriptorFor: .milliseconds(2200))
        let manager = try await Joined.make(fixture, delegate).manager
        try await until { fixture.core.isSaved }
        fixture.core.crash()
        try FileManager.default.removeItem(atPath: fixture.core.state("descriptor.json"))
        try await fixture.restartCore()
        #expect(try await delegate.lines.next() == "channelDescriptor")
        #expect(try await fixture.status().channel?.name == "Tests")
        #expect(try await delegate.lines.next() == "didJoin 1 true")
        #expect(try await fixture.status().channel?.name == "Tests")
        manager.leaveChannel(channelUUID: fixture.channel)
    }

    /// Semantics, “A restart of the core”.
    @EventLoop
    @Test func `a channel whose saved state is damaged is left`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        try await until { fixture.core.isSaved }
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
