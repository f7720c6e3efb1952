import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import Synchronization
import TestSupport
import Testing

/// Managers that are released at the worst moment, and the managers after them.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ManagerLifeTests {
    init() { withRunningLoop() }

    @EventLoop
    @Test
    func
        `the release of the manager ends the microphone's sequence, and later sequences have none of its frames`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let ended = AsyncQueue(of: Bool.self)
        try await transmitAndRelease(fixture, ended)
        #expect(try await ended.next())
        for await _ in AVAudioSession.sharedInstance().ptt.microphone {
            Issue.record("a frame without a session")
        }
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        #expect(try await delegate.lines.next() == "didJoin 1 true")
        #expect(try await fixture.sound.sourceOutputs() == [])
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        var frames = AVAudioSession.sharedInstance().ptt.microphone.makeAsyncIterator()
        #expect(await frames.next()?.sequence == 0)
    }

    /// Creates a manager, and releases it while it transmits and a task reads the microphone.
    @EventLoop
    private func transmitAndRelease(_ fixture: LibraryFixture, _ ended: AsyncQueue<Bool>) async throws {
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        let heard = AsyncQueue(of: Bool.self)
        Task {
            for await _ in AVAudioSession.sharedInstance().ptt.microphone { heard.add(true) }
            ended.add(true)
        }
        _ = try await heard.next()
        withExtendedLifetime(manager) {}
    }

    /// A core that stands still answers nothing, so that the calls are pending when the manager is released.
    @EventLoop
    @Test func `the completion handlers of pending calls are called once, with an error`() async throws {
        let fixture = try await LibraryFixture.start()
        let results = AsyncQueue(of: (any Error)?.self)
        try await callAndRelease(fixture, results)
        for _ in 0..<3 { #expect(try await results.next() is PTChannelError) }
        fixture.core.process.signal(SIGCONT)
        // Callbacks are in order: those of the next manager come after any second call of a handler.
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        try await manager.setServiceStatus(.ready, channelUUID: fixture.channel)
        results.finish()
        #expect(try await results.untilEnd(within: .seconds(10)).isEmpty)
    }

    @EventLoop
    private func callAndRelease(_ fixture: LibraryFixture, _ results: AsyncQueue<(any Error)?>) async throws {
        let manager = try await Joined.make(fixture, RecordingDelegate()).manager
        fixture.core.process.signal(SIGSTOP)
        let handler: @Sendable ((any Error)?) -> Void = { results.add($0) }
        manager.setServiceStatus(.connecting, channelUUID: fixture.channel, completionHandler: handler)
        manager.setTransmissionMode(.listenOnly, channelUUID: fixture.channel, completionHandler: handler)
        let ann = PTParticipant(name: "Ann", image: nil)
        manager.setActiveRemoteParticipant(ann, channelUUID: fixture.channel, completionHandler: handler)
    }

    @EventLoop
    @Test func `releasing the manager in a callback closes the microphone and ends the callbacks`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let holder = Holder()
        let detached = AsyncQueue(of: Bool.self)
        let connection = try watch(for: .applicationDetached, detached)
        try await hold(fixture, holder)
        holder.manager.withLock { $0 }?.requestBeginTransmitting(channelUUID: fixture.channel)
        _ = try await detached.next()
        #expect(try await fixture.sound.sourceOutputs() == [])
        #expect(holder.recorded.all == ["didJoin 0 true", "didBegin 2"])
        connection.close()
    }

    @EventLoop
    private func hold(_ fixture: LibraryFixture, _ holder: Holder) async throws {
        let manager = try await PTChannelManager.channelManager(delegate: holder, restorationDelegate: holder)
        holder.manager.withLock { $0 = manager }
        let descriptor = PTChannelDescriptor(name: "Ops", image: nil)
        manager.requestJoinChannel(channelUUID: fixture.channel, descriptor: descriptor)
        #expect(try await holder.recorded.lines.next() == "didJoin 0 true")
    }

    /// The core may receive its `Attach` before the end of the previous connections.
    @EventLoop
    @Test func `a manager that is created right after the release of another has the channel`() async throws {
        let fixture = try await LibraryFixture.start()
        for _ in 0..<5 {
            try await joinOrReturn(fixture)
            let delegate = RecordingDelegate()
            let manager = try await PTChannelManager.channelManager(
                delegate: delegate,
                restorationDelegate: delegate
            )
            // It is another manager, or the same if a callback still held that.
            #expect(manager.activeChannelUUID == fixture.channel)
            manager.requestBeginTransmitting(channelUUID: fixture.channel)
            _ = try await delegate.lines.first { $0 == "didBegin 2" }
            manager.stopTransmitting(channelUUID: fixture.channel)
            _ = try await delegate.lines.first { $0 == "didEnd 2" }
        }
    }

    @EventLoop
    private func joinOrReturn(_ fixture: LibraryFixture) async throws {
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        if manager.activeChannelUUID == nil {
            let descriptor = PTChannelDescriptor(name: "Ops", image: nil)
            manager.requestJoinChannel(channelUUID: fixture.channel, descriptor: descriptor)
            #expect(try await delegate.lines.next() == "didJoin 0 true")
        }
    }

    /// This process attaches while another has the channel, and receives the channel when that one dies.
    @EventLoop
    @Test func `the channel of an application passes from process to process`() async throws {
        let fixture = try await LibraryFixture.start()
        let first = try await OtherAttachment.make()
        try await first.join(fixture.channel)
        let second = try TestProcess.attaching(
            as: "org.example.Tests",
            named: "Tests",
            in: fixture.core.directory
        )
        _ = try await second.lines.first { $0.contains("callToken") }
        first.close()
        _ = try await second.lines.first { $0.contains("channelRestoration") }
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        let token = try await delegate.tokens.next()
        #expect(manager.activeChannelUUID == nil)
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next().hasPrefix("failedToBegin"))
        second.kill()
        #expect(try await delegate.lines.next() == "didJoin 1 true")
        #expect(try await delegate.tokens.next() == token)
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(3) == ["didEnd 0", "didDeactivate", "didLeave 2 true"])
    }
}

/// A delegate that releases its manager when a transmission begins.
private final class Holder: NSObject, ForwardingDelegate, Sendable {
    let recorded = RecordingDelegate()
    let manager = Mutex<PTChannelManager?>(nil)

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        recorded.channelManager(manager, channelUUID: channelUUID, didBeginTransmittingFrom: source)
        self.manager.withLock { $0 = nil }
    }
}

/// A second attachment of the application, without the library.
@EventLoop
private final class OtherAttachment {
    private let events: ServiceConnection
    private let calls: ServiceConnection

    static func make() async throws -> OtherAttachment {
        let events = try ServiceConnection.core()
        let attachments = AsyncQueue(of: ApplicationInterface.Attachment.self)
        events.attach(
            ApplicationInterface.AttachRequest(
                identifier: ApplicationID(rawValue: "org.example.Tests"),
                name: "Tests",
                isForeground: true
            ),
            { if let attachment = $0.attachment { attachments.add(attachment) } },
            ended: { _ in }
        )
        let attachment = try await attachments.next()
        let calls = try ServiceConnection.core()
        calls.useAttachment(attachment.callToken) { _ in }
        return OtherAttachment(events, calls)
    }

    private init(_ events: ServiceConnection, _ calls: ServiceConnection) {
        (self.events, self.calls) = (events, calls)
    }

    func join(_ channelUUID: UUID) async throws {
        let channelID = try #require(ChannelID(channelUUID.uuidString))
        let request = ChannelInterface.JoinRequest(
            channelID: channelID,
            name: "Ops",
            application: nil,
            image: nil
        )
        _ = try await calls.join(request)
    }

    func close() {
        events.close()
        calls.close()
    }
}
