import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// Applications that attach during a transmission or for a push.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ReturnTests {
    init() { withRunningLoop() }

    /// Semantics, “Restoration without a push”, “A press starts the application”: all callbacks up to the
    /// present state, in order, and the frames from the first on.
    @EventLoop
    @Test func `an application that attaches during a transmission is notified of it`() async throws {
        let (fixture, bus) = try await startWithSlowApplication()
        defer { bus.stop() }
        try await joinAndRelease(fixture)
        let button = try await fixture.press()
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        #expect(try await delegate.lines.next(3) == ["didJoin 1 true", "didBegin 3", "didActivate"])
        var frames = AVAudioSession.sharedInstance().ptt.microphone.makeAsyncIterator()
        #expect(await frames.next()?.sequence == 0)
        try await fixture.release(button)
        #expect(try await delegate.lines.next(2) == ["didEnd 3", "didDeactivate"])
        withExtendedLifetime(manager) {}
    }

    /// Semantics, “Restoration with a push”.
    @EventLoop
    @Test func `an application that is started for a push receives it before its channel is reported`()
        async throws
    {
        let (fixture, bus) = try await startWithSlowApplication()
        defer { bus.stop() }
        let token = try await joinAndRelease(fixture)
        try await fixture.push(token, #"{"speaker":"Bob"}"#)
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        let lines = try await delegate.lines.next(3)
        #expect(lines == ["incomingPush speaker", "didJoin 1 true", "didActivate"])
        #expect(try await fixture.status().channel?.participant?.name == "Bob")
        withExtendedLifetime(manager) {}
    }

    /// Semantics, “A short press”: pressed and released before it attached.
    @EventLoop
    @Test func `an application that attaches after the end of a transmission is notified of both`()
        async throws
    {
        let (fixture, bus) = try await startWithSlowApplication()
        defer { bus.stop() }
        try await joinAndRelease(fixture)
        let button = try await fixture.press()
        try await fixture.release(button)
        let delegate = RecordingDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        #expect(try await delegate.lines.next(3) == ["didJoin 1 true", "didBegin 3", "didEnd 3"])
        manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didLeave 2 true")
    }

    /// A core that starts the application by a program that does nothing, so that the test itself attaches
    /// later.
    @EventLoop
    private func startWithSlowApplication() async throws -> (LibraryFixture, PrivateBus) {
        let bus = try await PrivateBus.start(services: ["org.example.Tests": "/bin/sleep 20"])
        let manifest = """
            identifier = "org.example.Tests"
            name = "Tests"
            bus-name = "org.example.Tests"
            push-environment = "local"
            """
        let fixture = try await LibraryFixture.start(
            manifest: manifest,
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        )
        return (fixture, bus)
    }

    /// Creates a manager, joins, and releases the manager.
    @EventLoop
    @discardableResult
    private func joinAndRelease(_ fixture: LibraryFixture) async throws -> Data {
        let detached = AsyncQueue(of: Bool.self)
        let connection = try watch(for: .applicationDetached, detached)
        let token = try await joined(fixture)
        _ = try await detached.next()
        connection.close()
        return token
    }

    @EventLoop
    private func joined(_ fixture: LibraryFixture) async throws -> Data {
        try await Joined.make(fixture, RecordingDelegate()).token
    }
}
