import EventLoop
import TestSupport
import Testing

@testable import pttd

@Suite struct PressWarmUpTests {
    init() { withRunningLoop() }

    /// Channel joined, transmission began, audio activating and active, transmission ended, audio inactive.
    @EventLoop @Test func `the warm-up goes through a whole press`() {
        #expect(PressWarmUp().published >= 6)
    }
}
