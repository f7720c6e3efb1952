import EventLoop
import PTTCore
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// Tones at the speaker of real servers, and what a microphone that hears the speaker captures of them.
@Suite(.serialized, .timeLimit(.minutes(3))) struct TonePlayerTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `each tone is heard as it is, one after the other, on one stream`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        let streams = try await fixture.sinkInputs()
        #expect(streams.count == 1)
        for tone in [Tone.talkPermit, .end, .denied, .talkPermit] {
            fixture.forget()
            fixture.player.play(tone)
            let heard = try await fixture.heard(ToneSignal(tone).samples.count)
            // The sink may begin between two samples of ours, and convert; a starved one leaves some out.
            #expect(likeness(heard, ToneSignal(tone).samples) > 0.7, "\(tone)")
        }
        #expect(try await fixture.sinkInputs() == streams)
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a microphone that hears the speaker delivers nothing of the talk permit tone`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        for _ in 0..<3 {
            let (delivered, waited) = try await fixture.transmit(.seconds(1))
            #expect(delivered.allSatisfy { $0 == 0 })
            // The tone, and the latencies.
            #expect(waited > .milliseconds(80) && waited < .milliseconds(450), "\(waited)")
            // It was played, and captured.
            _ = try await fixture.heard(ToneSignal(.talkPermit).samples.count)
            fixture.forget()
        }
        fixture.close()
    }

    /// The talk permit tone waits for its turn, while the server begins the one before it.
    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `nor where the tone of an end has just begun`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        for _ in 0..<3 {
            let (delivered, waited) = try await fixture.transmit(.milliseconds(500), rightAfter: .end)
            #expect(delivered.allSatisfy { $0 == 0 })
            // From the beginning of one to that of the other, and the tone.
            #expect(waited > .milliseconds(50 + 80))
        }
        fixture.close()
    }

    /// The frames captured meanwhile arrive when the tone should have ended.
    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `nor where this process stands still in the midst of the tone`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        for _ in 0..<3 {
            let (delivered, _) = try await fixture.transmit(.milliseconds(500)) {
                standStill(.milliseconds(200))
            }
            #expect(delivered.allSatisfy { $0 == 0 })
        }
        fixture.close()
    }

    /// The report that the tone has begun, and its captured frames, arrive together with the limit for it.
    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `nor where this process stands still from before the tone to after it`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        for _ in 0..<3 {
            let (delivered, _) = try await fixture.transmit(.milliseconds(500), after: .zero) {
                standStill(.milliseconds(600))
            }
            #expect(delivered.allSatisfy { $0 == 0 })
        }
        fixture.close()
    }

    /// The rest of the tone is played when it should have ended.
    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `nor where the server stands still in the midst of the tone`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        for _ in 0..<3 {
            let goesOn = TimerSource { fixture.sound.thaw() }
            let (delivered, _) = try await fixture.transmit(.milliseconds(500)) {
                fixture.sound.freeze()
                goesOn.arm(after: .milliseconds(200))
            }
            #expect(delivered.allSatisfy { $0 == 0 })
        }
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a talk permit tone whose stream opens only with the press is not delivered either`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        fixture.player.isChannelJoined = false
        try await fixture.untilSinkInputs(0)
        let (delivered, waited) = try await fixture.transmit(.seconds(1))
        #expect(delivered.allSatisfy { $0 == 0 })
        #expect(waited > .milliseconds(80) && waited < .seconds(1), "\(waited)")
        _ = try await fixture.heard(ToneSignal(.talkPermit).samples.count)
        fixture.close()
    }

    /// The report that it was played, and its captured frames, arrive together.
    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `nor where this process stands still meanwhile`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        fixture.player.isChannelJoined = false
        for _ in 0..<3 {
            try await fixture.untilSinkInputs(0)
            let (delivered, _) = try await fixture.transmit(.milliseconds(500)) {
                standStill(.milliseconds(300))
            }
            #expect(delivered.allSatisfy { $0 == 0 })
        }
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `without the gate the microphone delivers the tone, and waits for nothing`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program, gate: "off")
        let (delivered, waited) = try await fixture.transmit(.seconds(1))
        #expect(delivered.contains { abs($0) > 1000 })
        #expect(waited < .milliseconds(20))
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `no microphone hears a headset: nothing waits for the tone`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program, sink: "device.form_factor=headset")
        let (delivered, waited) = try await fixture.transmit(.milliseconds(500))
        #expect(waited < .milliseconds(80), "\(waited)")
        #expect(!delivered.isEmpty)
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the tone before the time limit is silence in the transmission`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        var (delivered, ended) = ([Int16](), MonotonicInstant?.none)
        let finished = AsyncQueue(of: Void.self)
        fixture.microphone.open(
            .standard,
            started: {
                fixture.microphone.silence(until: .now + .seconds(2))
                fixture.player.play(.timeLimitNear, capturedBy: fixture.microphone) {
                    fixture.microphone.silence(until: $0)
                    ended = $0
                }
            },
            frame: { _, samples in
                delivered += samples.bindMemory(to: Int16.self)
                if let ended, .now > ended + .milliseconds(500) { finished.add(()) }
            },
            failed: { Issue.record("it failed: \($0)") }
        )
        try await finished.next()
        #expect(delivered.allSatisfy { $0 == 0 })
        _ = try await fixture.heard(ToneSignal(.timeLimitNear).samples.count)
        fixture.close()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `of tones in a loop the last one is heard, and the others cost the server nothing`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await ToneFixture.start(program)
        let loopEnd = MonotonicInstant.now + .milliseconds(120)
        while MonotonicInstant.now < loopEnd { fixture.player.play(.denied) }
        let before = fixture.player.number
        #expect(before <= 3)
        // Played at once, or at the end of the spacing.
        fixture.player.play(.end)
        fixture.forget()
        try await until { fixture.player.number == before + 1 }
        // The rest of the tone before it may be heard first, and then nothing for a while on a busy machine.
        let end = ToneSignal(.end).samples
        let heard = try await fixture.heard(ToneSignal(.denied).samples.count + end.count + 24_000)
        let last = (heard.lastIndex { abs($0) >= ToneFixture.audible } ?? 0) + 1
        #expect(likeness(Array(heard.prefix(last).suffix(end.count)), end) > 0.5)
        fixture.close()
    }
}

/// Nothing else of this process runs meanwhile.
private func standStill(_ duration: Duration) {
    let end = MonotonicInstant.now + duration
    while MonotonicInstant.now < end {}
}

/// How much of `heard` is the same as `expected`, which begins in it within ten milliseconds: 1 if all.
func likeness(_ heard: [Int16], _ expected: [Int16]) -> Double {
    correlations(expected, heard, shifts: -500..<501).max() ?? 0
}
