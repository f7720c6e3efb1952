import EventLoop
import PTTMessages
import TestSupport
import Testing

/// Call applications that ask the server for an echo canceller, as Jami does, or are given one by a person.
@Suite(.serialized) struct EchoCancelledCallTests {
    private static let call = ["media.role=phone", "application.name=Jami"]

    init() { withRunningLoop() }

    @Test @EventLoop func `an application that asks for an echo canceller talks by push-to-talk`()
        async throws
    {
        let fixture = try await VirtualMicrophoneFixture.start(.pulseAudio) { sound in
            try await sound.pactl("load-module", "module-filter-heuristics")
            try await sound.pactl("load-module", "module-filter-apply")
        }
        try await fixture.untilIdle()
        let properties = Self.call + ["filter.want=echo-cancel"]
        let application = try CallApplication(fixture.sound, properties: properties)
        let options = properties.map { "--property=\($0)" }
        let player = try TestProcess(
            ["pacat", "--playback", "--device=speaker"] + options + ["--raw", "/dev/zero"],
            environment: fixture.sound.environment
        )
        try await until {
            try await fixture.sound.pactl("list", "short", "sink-inputs").contains("module-echo-cancel")
        }
        try await expectPress(application, fixture)
        player.kill()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `one that a person has put behind an echo canceller does so as well`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        try await fixture.untilIdle()
        let arguments = ["source_master=ptt_mic", "source_name=cancelled", "sink_master=speaker"]
        try await fixture.sound.pactl(["load-module", "module-echo-cancel"] + arguments)
        let application = try CallApplication(
            fixture.sound,
            recordingFrom: "cancelled",
            properties: Self.call
        )
        try await expectPress(application, fixture)
    }

    @EventLoop private func expectPress(
        _ application: CallApplication,
        _ fixture: VirtualMicrophoneFixture
    ) async throws {
        try await fixture.untilRecorded()
        // It records for a while: what it is taken for is known.
        _ = try await application.next(24_000)
        #expect(try await fixture.presser.status().call == nil)
        _ = try await fixture.presser.begin()
        _ = try await application.next(24_000)
        let status = try await fixture.presser.status()
        #expect(status.transmission != nil && status.call == nil)
        application.kill()
    }
}
