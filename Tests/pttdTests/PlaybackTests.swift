import EventLoop
import Foundation
import Glibc
import PTTMessages
import PulseAudio
import TestSupport
import Testing

/// The samples of an application, from its audio socket to the speaker of a real sound server.
@Suite(.serialized) struct PlaybackTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `what the application writes is heard while a participant talks, and not before`()
        async throws
    {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        let listener = try await Listener(fixture.sound)
        // Dropped: no participant talks yet.
        for _ in 0..<20 { #expect(writer.write(880)) }
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        for _ in 0..<25 { try await writer.writeWhenPossible(660) }
        let heard = try await listener.heard(19_200)
        #expect(abs(frequency(heard) - 660) < 5)
        try await fixture.application.setParticipant(nil)
        _ = try await fixture.watcher.events.first { $0 == .audioDeactivated }
        #expect(try await fixture.sound.pactl("list", "short", "sink-inputs").isEmpty)
    }

    @Test @EventLoop
    func `a participant is heard again when the only speaker has gone and another one is there`()
        async throws
    {
        let fixture = try await PlaybackFixture.start()
        let (sound, events) = (fixture.sound, fixture.watcher.events)
        try await fixture.application.setParticipant("Ana")
        _ = try await events.first { $0 == .audioActivated }
        let modules = try await sound.pactl("list", "short", "modules").split(separator: "\n")
        let module = try #require(modules.first { $0.contains("sink_name=speaker") }).prefix { $0.isNumber }
        try await sound.pactl("unload-module", String(module))
        _ = try await events.first { $0 == .audioInterrupted(interruption: .speakerLost) }
        try await sound.pactl("load-module", "module-null-sink", "sink_name=new")
        try await sound.pactl("set-default-sink", "new")
        _ = try await events.first { $0 == .audioActivated }
        let listener = try await Listener(sound, of: "new.monitor")
        let writer = try fixture.writer()
        for _ in 0..<25 { try await writer.writeWhenPossible(660) }
        #expect(try await abs(frequency(listener.heard(19_200)) - 660) < 5)
    }

    @Test @EventLoop func `an application that writes faster than is played has to wait`() async throws {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        let began = MonotonicInstant.now
        for _ in 0..<200 { try await writer.writeWhenPossible(660) }
        // Four seconds of sound, less what the socket, the core and the sound server hold.
        #expect(MonotonicInstant.now - began > .seconds(1))
        #expect(try await fixture.application.calls.status().audio == .active)
    }

    @Test @EventLoop func `an application that writes without a participant does not keep the core busy`()
        async throws
    {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        let before = try processorTime(of: fixture.core.process.processID)
        let began = MonotonicInstant.now
        var count = 0
        while MonotonicInstant.now - began < .seconds(2) {
            if writer.write(660) { count += 1 } else { await pause(.milliseconds(1)) }
        }
        #expect(count < 1000)
        #expect(try processorTime(of: fixture.core.process.processID) - before < .milliseconds(200))
        #expect(try await fixture.application.calls.status().channel != nil)
    }

    @Test(arguments: [[], [UInt8](repeating: 0, count: 15), [UInt8](repeating: 0, count: 16 + 1918)])
    @EventLoop
    func
        `a packet of a wrong size ends the audio connection with a log line, and the participant is interrupted`(
            packet: [UInt8]
        ) async throws
    {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        #expect(writer.write(packet.isEmpty ? [UInt8](repeating: 0, count: 9000) : packet))
        _ = try await fixture.core.process.lines.first { $0.contains("audio socket: ") }
        try await writer.ended.next()
        _ = try await fixture.watcher.events.first {
            $0 == .audioInterrupted(interruption: .audioConnectionLost)
        }
        let status = try await fixture.application.calls.status()
        #expect(status.audio == .inactive && status.channel?.participant?.name == "Ana")
    }

    @Test @EventLoop func `a participant is heard again when the application reconnects`() async throws {
        let fixture = try await PlaybackFixture.start()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        // Dropped immediately.
        _ = try fixture.writer()
        _ = try await fixture.watcher.events.first {
            $0 == .audioInterrupted(interruption: .audioConnectionLost)
        }
        let writer = try fixture.writer()
        _ = try await fixture.watcher.events.first { $0 == .audioInterruptionEnded }
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        let listener = try await Listener(fixture.sound)
        for _ in 0..<25 { try await writer.writeWhenPossible(550) }
        #expect(abs(frequency(try await listener.heard(9_600)) - 550) < 5)
    }

    @Test @EventLoop func `the death of the application closes the speaker`() async throws {
        let fixture = try await PlaybackFixture.start()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        fixture.application.die()
        _ = try await fixture.watcher.events.first { $0 == .applicationDetached }
        #expect(try await fixture.sound.pactl("list", "short", "sink-inputs").isEmpty)
        #expect(try await fixture.core.connect().status().channel?.participant == nil)
    }

    @Test @EventLoop
    func `a participant is interrupted by the loss of the sound server, and heard again afterwards`()
        async throws
    {
        let fixture = try await PlaybackFixture.start()
        let writer = try fixture.writer()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        fixture.sound.kill()
        _ = try await fixture.watcher.events.first { event in
            if case .audioInterrupted = event { true } else { false }
        }
        try await fixture.sound.restart()
        _ = try await fixture.watcher.events.first(within: .seconds(20)) { $0 == .audioInterruptionEnded }
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        let listener = try await Listener(fixture.sound)
        for _ in 0..<25 { try await writer.writeWhenPossible(550) }
        #expect(abs(frequency(try await listener.heard(9_600)) - 550) < 5)
    }
}

/// The pitch by upward zero crossings: the median over spans of eight of them, because a busy machine loses
/// samples.
private func frequency(_ samples: [Int16]) -> Double {
    let crossings = zip(samples, samples.dropFirst()).enumerated()
        .filter { $0.element.0 < 0 && $0.element.1 >= 0 }.map(\.offset)
    let spans = zip(crossings, crossings.dropFirst(8)).map { $1 - $0 }.sorted()
    guard !spans.isEmpty else { return 0 }
    return 8 * 48_000 / Double(spans[spans.count / 2])
}

/// User and system time together, from proc_pid_stat(5).
private func processorTime(of processID: Int32) throws -> Duration {
    let text = try String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = [11, 12].compactMap { Int(fields[$0]) }.reduce(0, +)
    return .milliseconds(ticks * 1000 / sysconf(Int32(_SC_CLK_TCK)))
}
