import EventLoop
import PTTMessages
import TestSupport
import Testing

@Suite(.serialized) struct ReconnectionTests {
    init() { withRunningLoop() }

    /// The next attempt would be made after five seconds; the new socket appears earlier.
    @Test @EventLoop func `a core that appears between two attempts is connected to without delay`()
        async throws
    {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        fixture.core?.stop()
        let listener = try ClosingListener(at: fixture.directory + "/pushtotalk/core")
        let lastAttempt = try await listener.attempts(areApartBy: .seconds(3))
        listener.close()
        try fixture.startCore()
        try await fixture.next(.coreConnected)
        #expect(MonotonicInstant.now - lastAttempt < .milliseconds(4900))
    }
}
