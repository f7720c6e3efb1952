import EventLoop
import PTTCore
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// The stream on which tones are played, where the server, its speaker or the time is missing.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ToneStreamTests {
    /// Until a timer that is due is handled beside a load.
    private static let scheduling = Duration.milliseconds(500)

    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `tones are played again after a loss of the server`(program: SoundServerProgram)
        async throws
    {
        let fixture = try await ToneFixture.start(program)
        fixture.sound.kill()
        try await fixture.lost.next()
        // Without a server the gate is open at once.
        var isOpen = false
        fixture.player.play(.talkPermit, capturedBy: fixture.microphone) { _ in isOpen = true }
        #expect(isOpen)
        try await fixture.sound.restart()
        try await fixture.isReady()
        fixture.player.play(.end)
        let heard = try await fixture.heard(ToneSignal(.end).samples.count)
        #expect(likeness(heard, ToneSignal(.end).samples) > 0.5)
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a speaker that is removed while a tone plays does not hold up the transmission`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program, sink: "device.description=second")
        let opened = AsyncQueue(of: MonotonicInstant.self)
        let began = MonotonicInstant.now
        fixture.microphone.open(
            .standard,
            started: {
                fixture.player.play(.talkPermit, capturedBy: fixture.microphone) { opened.add($0) }
                fixture.removeSink()
            },
            frame: { _, _ in },
            failed: { _ in }
        )
        #expect(try await opened.next() - began < .seconds(2.5))
        fixture.player.play(.end)
        // The server has moved the stream, or it is opened again.
        try await fixture.untilSinkInputs(1)
        fixture.close()
    }

    /// PipeWire's only speaker here is no module, and cannot be removed.
    @Test @EventLoop func `where no speaker is there, no transmission waits for a tone`() async throws {
        let fixture = try await ToneFixture.start(.pulseAudio)
        try await fixture.sound.pactl("unload-module", "module-null-sink")
        fixture.player.play(.denied)
        try await until { !fixture.player.isCaptured(.talkPermit) }
        var isOpen = false
        fixture.player.play(.talkPermit, capturedBy: fixture.microphone) { _ in isOpen = true }
        #expect(isOpen)
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a server that stops answering holds up a transmission for two seconds at most`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        let opened = AsyncQueue(of: MonotonicInstant.self)
        fixture.sound.freeze()
        let began = MonotonicInstant.now
        fixture.player.play(.talkPermit, capturedBy: fixture.microphone) { opened.add($0) }
        #expect(try await opened.next() - began < .seconds(2) + Self.scheduling)
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the stream is open while a tone may be needed, and otherwise for one tone`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        fixture.player.isChannelJoined = false
        try await fixture.untilSinkInputs(0)
        fixture.player.play(.denied)
        let heard = try await fixture.heard(ToneSignal(.denied).samples.count)
        #expect(likeness(heard, ToneSignal(.denied).samples) > 0.5)
        try await fixture.untilSinkInputs(0)
        fixture.player.hasVirtualMicrophone = true
        try await fixture.untilSinkInputs(1)
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `nor does the stream stay that a server opens too late`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        fixture.player.isChannelJoined = false
        try await fixture.untilSinkInputs(0)
        fixture.sound.freeze()
        let opened = AsyncQueue(of: Void.self)
        fixture.player.play(.talkPermit, capturedBy: fixture.microphone) { _ in opened.add(()) }
        try await opened.next()
        fixture.sound.thaw()
        // The answer comes after those to what was asked for before.
        try await fixture.untilAnswered()
        try await fixture.untilSinkInputs(0)
        fixture.close()
    }
}
