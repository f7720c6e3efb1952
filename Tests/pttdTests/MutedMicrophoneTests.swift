import EventLoop
import PTTMessages
import TestSupport
import Testing

/// A microphone that a person has muted, or whose volume is 0: it stays so, and nobody talks into it
/// unknowingly.
@Suite(.serialized) struct MutedMicrophoneTests {
    init() { withRunningLoop() }

    @Test(
        arguments: SoundServerProgram.allCases,
        ["set-source-mute tone 1", "set-source-volume tone 0%"]
    )
    @EventLoop func `a press on a microphone that delivers zeros is no transmission, and says why`(
        program: SoundServerProgram,
        order: String
    ) async throws {
        let silence = order.split(separator: " ").map(String.init)
        let fixture = try await MicrophoneFixture.start(program) { sound in try await sound.pactl(silence) }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == .microphoneMuted)
        try await fixture.expectSilence()
        // A person sees to it, which is known at once, and presses again, and it is silenced in mid-press.
        try await fixture.sound.pactl("set-source-mute", "tone", "0")
        try await fixture.sound.pactl("set-source-volume", "tone", "100%")
        try await until { try await fixture.accessoryd.status().microphone?.isDeaf == false }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        try await fixture.sound.pactl(silence)
        #expect(try await fixture.end() == .microphoneMuted)
        let isMute = order.contains("mute")
        let state = try #require(try await fixture.accessoryd.status().microphone)
        #expect(state.isMuted == isMute && state.isSilent == !isMute)
        let word = isMute ? "is muted" : "volume of the microphone is 0"
        _ = try await fixture.core.process.lines.first { $0.contains(word) }
        let (muted, volume) = (
            try await fixture.sound.pactl("get-source-mute", "tone"),
            try await fixture.sound.pactl("get-source-volume", "tone")
        )
        #expect(muted.contains("yes") == isMute && volume.contains(" 0%") == !isMute)
    }
}
