import EventLoop
import TestSupport
import Testing

@testable import PulseAudio

extension RealServers {
    @Suite(.timeLimit(.minutes(3)))
    struct ConnectionPairTests {
        init() { withRunningLoop() }

        @Test(arguments: SoundServerProgram.allCases, [0, 1])
        @EventLoop func `the loss of either connection is that of both, reported once, and both come back`(
            program: SoundServerProgram,
            lost: Int
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let capture = try Capture(fixture)
            try await capture.untilStarted()
            fixture.audio.connections[lost].end("the test ends it")
            try await capture.untilFailed()
            try await fixture.untilSourceOutputs(0)
            try await fixture.untilReady()
            #expect(fixture.states.all.count == 4)
            let second = try Capture(fixture)
            try await second.untilStarted()
            second.close()
        }
    }
}
