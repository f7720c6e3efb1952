import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// `release-lag`, with a real sound server: what a person says last is still delivered, and nothing else
/// waits for it.
@Suite(.serialized) struct ReleaseLagTests {
    init() { withRunningLoop() }

    private static let lag = "release-lag = 300"
    /// Less than the lag has, so that a busy machine delivers them too, and more than was on its way before
    /// the release.
    private static let someOfTheLag = 4

    /// A transmission whose frames arrive.
    @EventLoop private func talking(_ program: SoundServerProgram) async throws -> MicrophoneFixture {
        let fixture = try await MicrophoneFixture.start(program, Self.lag)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        return fixture
    }

    /// The server ends the stream some time after the core has ordered it.
    @EventLoop private func untilNothingRecords(_ fixture: MicrophoneFixture) async throws {
        try await until(within: .seconds(3)) { try await fixture.sound.sourceOutputs().isEmpty }
    }

    @EventLoop private func expectClosed(_ fixture: MicrophoneFixture) async throws {
        let status = try await fixture.accessoryd.status()
        #expect(status.transmission == nil && status.audio == .inactive)
        try await untilNothingRecords(fixture)
        try await fixture.expectSilence()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `frames arrive for the lag after a release, and none after it`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await talking(program)
        try await fixture.accessoryd.end()
        try await fixture.packets(fixture.packetCount + Self.someOfTheLag)
        #expect(try await fixture.end() == .released)
        try await expectClosed(fixture)
    }

    /// A release comes somewhere in a packet. Beyond a sample or two of the tone, zeros are what was not
    /// captured. PipeWire delivers whole packets here.
    @Test @EventLoop func `without a lag the packet that was begun is delivered with silence at its end`()
        async throws
    {
        let fixture = try await MicrophoneFixture.start(.pulseAudio)
        var begun = 0
        for press in 0..<20 where begun == 0 {
            _ = try await fixture.accessoryd.begin()
            #expect(try await fixture.firstSoundOrEnd() == nil)
            try await fixture.packets(fixture.packetCount + 3)
            await pause(.milliseconds(press % 5 * 4))
            try await fixture.accessoryd.end()
            #expect(try await fixture.end() == .released)
            try await fixture.expectSilence()
            if let padding = fixture.paddingOfLast, padding > 10 { begun += 1 }
        }
        #expect(begun > 0)
    }

    @Test @EventLoop func `a press within the lag is a transmission of its own`() async throws {
        let fixture = try await talking(.pulseAudio)
        try await fixture.accessoryd.end()
        let second = try await fixture.accessoryd.begin()
        #expect(try await fixture.end() == .released)
        #expect(try await fixture.firstSoundOrEnd() == nil)
        #expect(try await fixture.accessoryd.status().transmission?.transmissionID == second)
        #expect(try await fixture.sound.sourceOutputs().count == 1)
        try await fixture.accessoryd.end()
        #expect(try await fixture.end() == .released)
        try await expectClosed(fixture)
    }

    @Test(arguments: [EndCause.linkLost, .deviceRemoved, .stopped])
    @EventLoop func `what is no release ends at once`(cause: EndCause) async throws {
        let fixture = try await talking(.pulseAudio)
        try await fixture.accessoryd.end(.button, cause)
        try await expectClosed(fixture)
        #expect(try await fixture.end() == cause)
    }

    @Test(arguments: [EndCause.linkLost, .stopped])
    @EventLoop func `the lag ends with the link, and when the transmission is stopped`(
        cause: EndCause
    ) async throws {
        let fixture = try await talking(.pulseAudio)
        try await fixture.accessoryd.end()
        try await fixture.accessoryd.end(.button, cause)
        try await expectClosed(fixture)
        #expect(try await fixture.end() == .released)
    }

    @Test(arguments: [false, true])
    @EventLoop func `the end of ptt-accessoryd ends at once`(isReleased: Bool) async throws {
        let fixture = try await talking(.pulseAudio)
        if isReleased { try await fixture.accessoryd.end() }
        fixture.accessoryd.close()
        #expect(try await fixture.end() == (isReleased ? .released : .connectionLost))
        try await untilNothingRecords(fixture)
    }

    @Test(arguments: [false, true])
    @EventLoop func `the end of the application ends at once`(isReleased: Bool) async throws {
        let fixture = try await talking(.pulseAudio)
        if isReleased { try await fixture.accessoryd.end() }
        fixture.application.close()
        #expect(try await fixture.end() == (isReleased ? .released : .applicationGone))
        try await untilNothingRecords(fixture)
    }

    @Test(arguments: SoundServerProgram.allCases, [false, true])
    @EventLoop func `the death of the sound server ends at once`(
        program: SoundServerProgram,
        isReleased: Bool
    ) async throws {
        let fixture = try await talking(program)
        if isReleased { try await fixture.accessoryd.end() }
        fixture.sound.kill()
        #expect(try await fixture.end() == (isReleased ? .released : .audioServerLost))
        #expect(try await fixture.accessoryd.status().audio == .inactive)
    }

    @Test(arguments: [false, true])
    @EventLoop func `the end of the core ends at once`(isReleased: Bool) async throws {
        let fixture = try await talking(.pulseAudio)
        if isReleased { try await fixture.accessoryd.end() }
        fixture.core.process.signal(SIGTERM)
        #expect(try await fixture.end() == (isReleased ? .released : .shuttingDown))
        #expect(try await fixture.core.process.exitStatus() == 0)
        try await untilNothingRecords(fixture)
    }

    /// Its connection must outlive the release.
    @Test @EventLoop func `what is said to pttctl talk lags as well`() async throws {
        let fixture = try await MicrophoneFixture.start(.pulseAudio, Self.lag)
        let talk = try TestProcess(
            [TestProcess.built("pttctl"), "talk"],
            environment: ["XDG_RUNTIME_DIR": fixture.core.directory],
            mergesErrors: true
        )
        #expect(try await fixture.firstSoundOrEnd() == nil)
        talk.signal(SIGINT)
        try await fixture.packets(fixture.packetCount + Self.someOfTheLag)
        let (status, lines) = try await talk.output()
        #expect(status == 0 && lines.contains { $0.contains("released") }, "\(lines)")
        #expect(try await fixture.end() == .released)
        try await expectClosed(fixture)
    }
}
