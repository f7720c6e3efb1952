import EventLoop
import PTTMessages
import TestSupport
import Testing

/// A microphone behind software of the sound server, as echo cancellers and noise filters are.
@Suite(.serialized) struct FilteredMicrophoneTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a filter that is moved to another microphone while the button is held ends the press`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program) { sound in
            try await sound.addMicrophone("other")
            try await sound.pactl("load-module", "module-remap-source", "master=tone", "source_name=clean")
            try await sound.pactl("set-default-source", "clean")
            try await sound.untilDefaultSource(is: "clean")
        }
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        #expect(fixture.input == "clean")
        // The stream by which it records.
        func sourceOutputs() async throws -> [[Substring]] {
            try await fixture.sound.pactl("list", "short", "source-outputs").split(separator: "\n")
                .map { $0.split(separator: "\t") }
        }
        let sources = try await fixture.sound.pactl("list", "short", "sources").split(separator: "\n")
        let tone = try #require(sources.first { $0.contains("\ttone\t") }?.split(separator: "\t").first)
        let stream = try #require(try await sourceOutputs().first { $0[1] == tone }?[0])
        // WirePlumber loses an order to move a stream that it has just linked, on a busy machine.
        try await until {
            try await fixture.sound.pactl("move-source-output", String(stream), "other")
            return try await sourceOutputs().contains { $0[0] == stream && $0[1] != tone }
        }
        #expect(try await fixture.end() == .microphoneLost)
    }
}
