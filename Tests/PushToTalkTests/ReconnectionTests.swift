import EventLoop
import Foundation
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// The application runs on while the core is absent.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ReconnectionTests {
    init() { withRunningLoop() }

    /// The next attempt would come after five seconds; the new socket comes first.
    @EventLoop
    @Test func `a core that appears between two attempts is connected to without delay`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.core.crash()
        let listener = try ClosingListener(at: RuntimeSocket.core.path)
        let lastAttempt = try await listener.attempts(areApartBy: .seconds(3))
        listener.close()
        try await fixture.restartCore()
        #expect(try await delegate.lines.next() == "didJoin 1 true")
        #expect(MonotonicInstant.now - lastAttempt < .milliseconds(4900))
        #expect(manager.activeChannelUUID == fixture.channel)
    }
}
