import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// Joining, leaving, settings and creation, with a real core.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ChannelTests {
    init() { withRunningLoop() }

    /// Semantics, “The first launch”, “One manager for each process”.
    @EventLoop
    @Test func `a process has one manager, and creates one at a time`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let results = AsyncQueue(of: String.self)
        let managers = AsyncQueue(of: PTChannelManager.self)
        for _ in 0..<2 {
            PTChannelManager.channelManager(delegate: delegate, restorationDelegate: delegate) {
                manager,
                error in
                if let manager { managers.add(manager) }
                if case PTInstantiationError.instantiationAlreadyInProgress? = error {
                    results.add("in progress")
                } else {
                    results.add(error.map { "\($0)" } ?? "made")
                }
            }
        }
        #expect(try await Set(results.next(2)) == ["made", "in progress"])
        let first = try await managers.next()
        let second = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        #expect(first === second)
        #expect(first.activeChannelUUID == nil)
        withExtendedLifetime(fixture) {}
    }

    /// Semantics, “What a manager needs”.
    @EventLoop
    @Test func `what the manifest lacks is reported when the manager is created`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        func code() async -> PTInstantiationError.Code? {
            do {
                _ = try await PTChannelManager.channelManager(
                    delegate: delegate,
                    restorationDelegate: delegate
                )
                return nil
            } catch {
                return (error as? PTInstantiationError)?.code
            }
        }
        let identifier = "identifier = \"org.example.Tests\"\n"
        _ = try fixture.write(identifier)
        #expect(await code() == .missingBackgroundMode)
        _ = try fixture.write(identifier + "systemd-unit = \"tests.service\"\n")
        #expect(await code() == .missingPushServerEnvironment)
        _ = try fixture.write(identifier + "this is no TOML")
        #expect(await code() == .unknown)
        unsetenv("PTT_MANIFEST")
        fixture.core.crash()
        #expect(await code() == .invalidPlatform)
    }

    /// Semantics, “What a manager needs”: `missingEntitlement`, as the policy excludes the application.
    @EventLoop
    @Test func `an excluded application gets no manager`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        try #"exclude = ["org.example.Tests"]"#.write(
            toFile: fixture.core.configuration("policy.toml"),
            atomically: true,
            encoding: .utf8
        )
        fixture.core.crash()
        try await fixture.restartCore()
        do {
            _ = try await PTChannelManager.channelManager(delegate: delegate, restorationDelegate: delegate)
            Issue.record("a manager was created")
        } catch PTInstantiationError.missingEntitlement {
        }
    }

    /// Semantics, “Joining”, “One channel on the machine”, “A channel that is not joined”, “The push token”,
    /// “The settings after a join”.
    @EventLoop
    @Test func `join, join again, leave, leave again`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        let manager = joined.manager
        #expect(!joined.token.isEmpty)
        let channel = try await fixture.status().channel
        #expect(channel?.serviceStatus == .ready)
        #expect(channel?.transmissionMode == .halfDuplex)
        #expect(channel?.areAccessoryEventsEnabled == true)
        manager.requestJoinChannel(
            channelUUID: UUID(),
            descriptor: PTChannelDescriptor(name: "B", image: nil)
        )
        #expect(try await delegate.lines.next() == "failedToJoin channelLimitReached")
        manager.leaveChannel(channelUUID: UUID())
        #expect(try await delegate.lines.next() == "failedToLeave channelNotFound")
        #expect(manager.activeChannelUUID == fixture.channel)
        manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didLeave 2 true")
        manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "failedToLeave channelNotFound")
        manager.requestJoinChannel(
            channelUUID: fixture.channel,
            descriptor: PTChannelDescriptor(name: "C", image: nil)
        )
        #expect(try await delegate.lines.next() == "didJoin 0 true")
        let token = try await delegate.tokens.next()
        #expect(token != joined.token)
        try await fixture.leave()
        #expect(try await delegate.lines.next() == "didLeave 1 true")
    }

    /// Semantics, “Joining in the background”.
    @EventLoop
    @Test func `an application in the background cannot join`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        manager.pttSetForeground(false)
        manager.requestJoinChannel(
            channelUUID: fixture.channel,
            descriptor: PTChannelDescriptor(name: "A", image: nil)
        )
        #expect(try await delegate.lines.next() == "failedToJoin appNotForeground")
    }

    /// Semantics, “Joining against the policy”, “A policy that changes”.
    @EventLoop
    @Test func `the policy forbids joining, and leaves a joined channel`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let policy = fixture.core.configuration("policy.toml")
        try #"deny = ["org.example.Tests"]"#.write(toFile: policy, atomically: true, encoding: .utf8)
        #expect(try await delegate.lines.next() == "didLeave 3 true")
        manager.requestJoinChannel(
            channelUUID: fixture.channel,
            descriptor: PTChannelDescriptor(name: "A", image: nil)
        )
        #expect(try await delegate.lines.next() == "failedToJoin deviceManagementRestriction")
    }

    /// Semantics, “A channel that is not joined”, “The descriptor”.
    @EventLoop
    @Test func `settings of another channel are refused, the descriptor changes without rejoining`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let other = UUID()
        let settings: [() async throws -> Void] = [
            { try await manager.setActiveRemoteParticipant(nil, channelUUID: other) },
            {
                try await manager.setChannelDescriptor(
                    PTChannelDescriptor(name: "X", image: nil),
                    channelUUID: other
                )
            },
            { try await manager.setServiceStatus(.ready, channelUUID: other) },
            { try await manager.setTransmissionMode(.fullDuplex, channelUUID: other) },
            { try await manager.setAccessoryButtonEventsEnabled(false, channelUUID: other) },
        ]
        for setting in settings {
            do {
                try await setting()
                Issue.record("a setting of another channel succeeded")
            } catch PTChannelError.channelNotFound {
            }
        }
        let tactical = PTChannelDescriptor(name: "Tac", image: nil)
        try await manager.setChannelDescriptor(tactical, channelUUID: fixture.channel)
        #expect(try await fixture.status().channel?.name == "Tac")
        #expect(delegate.all == ["didJoin 0 true"])
    }

    /// Semantics, “One manager for each process”: the same manager, with the delegates of the last call.
    @EventLoop
    @Test func `a second creation replaces the delegates`() async throws {
        let fixture = try await LibraryFixture.start()
        let first = RecordingDelegate()
        let manager = try await Joined.make(fixture, first).manager
        let second = RecordingDelegate()
        let same = try await PTChannelManager.channelManager(delegate: second, restorationDelegate: second)
        #expect(same === manager)
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await second.lines.next(2) == ["didBegin 2", "didActivate"])
        #expect(first.all == ["didJoin 0 true"])
    }

    /// No callback after the manager is gone.
    @EventLoop
    @Test func `the channel of a released manager stays joined, and its delegate receives nothing more`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let watcher = AsyncQueue(of: Bool.self)
        let connection = try watch(for: .applicationDetached, watcher)
        try await joinAndRelease(fixture, delegate)
        _ = try await watcher.next()
        #expect(try await fixture.status().channel != nil)
        #expect(delegate.all == ["didJoin 0 true"])
        connection.close()
    }

    /// Creates a manager, joins, and releases the manager.
    @EventLoop
    private func joinAndRelease(_ fixture: LibraryFixture, _ delegate: RecordingDelegate) async throws {
        let manager = try await Joined.make(fixture, delegate).manager
        #expect(manager.activeChannelUUID == fixture.channel)
    }
}
