import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// The Push-to-Talk Microphone, as a call application hears it, on both sound servers.
@Suite(.serialized, .timeLimit(.minutes(5))) struct VirtualMicrophoneTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a call application hears exact silence, presses, and exact silence`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        #expect(fixture.state == .recorded(by: ["parec"]))
        #expect(try await application.next(4800).loudest == 0)
        for _ in 0..<3 {
            _ = try await fixture.presser.begin()
            #expect(try await application.next(4800, skipping: 24_000).loudest > 9000)
            try await fixture.presser.end()
            try await fixture.expectSilence(application)
        }
        #expect(try await fixture.presser.status().channel == nil)
        application.kill()
        try await fixture.untilIdle()
        try await fixture.expectSilence(nil)
    }

    /// Clients refuse a text with more combining marks in a row.
    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a program with sixty combining marks in its name is told to clients with thirty`(
        program: SoundServerProgram
    ) async throws {
        func name(marks: Int) -> String { "e" + String(repeating: "\u{301}", count: marks) }
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try CallApplication(
            fixture.sound,
            properties: ["application.name=" + name(marks: 60)]
        )
        try await fixture.untilRecorded()
        #expect(fixture.state == .recorded(by: [name(marks: 30)]))
        application.kill()
        try await fixture.untilIdle()
    }

    /// One of twenty, each sample of it: a busy machine interrupts the sound as well.
    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a transmission is heard without a hole, from its first sample to its last`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        var holes: [Int] = []
        for _ in 0..<20 where holes.last != 0 {
            let start = application.samples.count
            _ = try await fixture.presser.begin()
            #expect(try await application.next(4800, skipping: 48_000).loudest > 9000)
            try await fixture.presser.end()
            try await fixture.expectSilence(application)
            holes.append(application.samples[start...].longestHole)
        }
        #expect(holes.last == 0, "\(holes)")
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `while no application records, a press is refused and no microphone opens`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        try await fixture.untilIdle()
        let refused = try await refusal { _ = try await fixture.presser.begin() }
        #expect(refused.code == .noRecorder)
        try await fixture.expectSilence(nil)
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a core that stops while somebody talks leaves the microphone loaded, silent and muted`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        _ = try await fixture.presser.begin()
        #expect(try await application.next(4800, skipping: 24_000).loudest > 9000)
        fixture.core.process.signal(SIGTERM)
        #expect(try await fixture.core.process.exitStatus() == 0)
        try await fixture.expectSilence(application)
        #expect(try await fixture.sound.pactl("get-sink-mute", "ptt_feed") == "Mute: yes")
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `it is removed on request, but not from under an application that records`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program)
        let application = try await fixture.record()
        let refused = try await refusal {
            try await fixture.presser.call(ChannelInterface.removeVirtualMicrophone, NoParameters())
        }
        #expect(refused.reason.contains("parec"))
        #expect(try await application.next(4800).loudest == 0)
        application.kill()
        try await fixture.untilIdle()
        try await fixture.presser.call(ChannelInterface.removeVirtualMicrophone, NoParameters())
        #expect(try await !fixture.sound.pactl("list", "short", "modules").contains("ptt_"))
        try await fixture.until { $0 == .off }
        try await fixture.crashAndRestart()
        try await fixture.untilIdle()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the configuration can want none, and removes what an earlier core has left`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await VirtualMicrophoneFixture.start(program, "virtual-microphone = true")
        try await fixture.untilIdle()
        fixture.core.process.kill()
        let core = try await CoreFixture.start(
            sound: fixture.sound,
            configuration: "virtual-microphone = false"
        )
        try await until { try await !fixture.sound.pactl("list", "short", "modules").contains("ptt_") }
        let (watcher, client) = (try core.connect(), try core.connect())
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        #expect(try await client.status().virtualMicrophone == .off)
        #expect(try await refusal { _ = try await client.begin() }.code != .noRecorder)
    }
}

extension ArraySlice<Int16> {
    /// The longest run of zeros between sounds, in samples. A tone crosses zero with one or two.
    fileprivate var longestHole: Int {
        guard let first = firstIndex(where: { $0 != 0 }), let last = lastIndex(where: { $0 != 0 }) else {
            return .max
        }
        var (longest, current) = (0, 0)
        for sample in self[first...last] {
            current = sample == 0 ? current + 1 : 0
            longest = Swift.max(longest, current)
        }
        return longest > 2 ? longest : 0
    }
}
