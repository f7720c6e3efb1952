import EventLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct RecorderTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a condition is asked once for each event, and not after it is met`() async throws {
        let events = Recorder<Int>()
        var askedCount = 0
        EventLoop.start { for event in 1...5 { events.add(event) } }
        try await events.wait("the third event") {
            askedCount += 1
            return $0.count == 3
        }
        // Once before the first event.
        #expect(askedCount == 4)
    }
}
