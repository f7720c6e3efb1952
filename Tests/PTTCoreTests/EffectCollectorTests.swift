import PTTMessages
import Testing

@testable import PTTCore

/// All closings are carried out before any opening: a stream that one event opened and closed would stay
/// open.
@Suite struct EffectCollectorTests {
    @Test func `a microphone that one event opens and closes fails an assertion`() async {
        await #expect(processExitsWith: .failure) {
            var effects = EffectCollector(at: MonotonicTime(nanoseconds: 0))
            let capture = Capture(captureID: CaptureID(rawValue: 1), format: .standard)
            effects.open(capture)
            effects.close(capture)
        }
    }

    @Test func `a speaker that one event opens and closes fails an assertion`() async {
        await #expect(processExitsWith: .failure) {
            var effects = EffectCollector(at: MonotonicTime(nanoseconds: 0))
            let playbackID = PlaybackID(rawValue: 1)
            let playback = Playback(
                playbackID: playbackID,
                format: .standard,
                writer: ClientID(rawValue: 1)
            )
            effects.open(playback)
            effects.close(playback)
        }
    }

    @Test func `one stream replaces another in one event`() {
        var effects = EffectCollector(at: MonotonicTime(nanoseconds: 0))
        let captures = [1, 2].map { Capture(captureID: CaptureID(rawValue: $0), format: .standard) }
        effects.open(captures[1])
        effects.close(captures[0])
        #expect(
            effects.inOrder == [
                .closeCapture(captures[0].captureID), .openCapture(captures[1].captureID, .standard),
            ]
        )
    }
}
