import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing
import WAV

/// Tones of the built core that are not over when the microphone is closed.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ToneEndTests {
    private static let rate = 48_000
    /// Of the talk permit tone, in samples: longer than a release takes beside a load.
    private static let length = rate * 3 / 2
    private static let audible: Int16 = 1000

    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop
    func `while the disk hangs a talk permit tone ends with the release, and the next press has its own`(
        program: SoundServerProgram
    ) async throws {
        let (disk, scratch) = (try await FailingDisk(), try Scratch())
        defer { withExtendedLifetime(scratch) { disk.goOn() } }
        let path = scratch.directory + "/permit.wav"
        try writeTone(to: path)
        // Without a tone of the end, which would take the place of the other.
        let fixture = try await MicrophoneFixture.start(
            program,
            "[tones]\ntalk-permit = \"\(path)\"\nend = \"\"",
            environment: disk.environment,
            playsTones: true
        )
        let listener = try await Listener(fixture.sound)
        try await fixture.untilTonesAreReady()

        disk.hang()
        try await fixture.accessoryd.call(ChannelInterface.setVolume, .init(volume: 80))
        try await until { disk.isWaitedFor }
        _ = try await fixture.accessoryd.begin()
        // The tone is ordered in the same turn of the loop.
        try await fixture.published { $0 == .audioActivated }
        try await fixture.accessoryd.end()
        let cause = try await fixture.end()
        #expect(cause == .released)
        disk.goOn()
        let saved = fixture.core.state("volume.json")
        try await until { access(saved, F_OK) == 0 }

        let afterwards = try await listener.all(andNext: Self.length * 4 / 3)
        #expect(audibleCount(afterwards) < Self.length / 2)
        _ = try await fixture.accessoryd.begin()
        let later = try await listener.heard(Self.length * 3 / 4)
        #expect(audibleCount(later) > Self.length / 2)
        try await fixture.accessoryd.end()
    }

    /// A square wave, no sample of which is near zero.
    private func writeTone(to path: String) throws {
        var file = try WAVFile(creating: path, rate: Self.rate, channels: 1)
        let bytes = (0..<Self.length).flatMap { index -> [UInt8] in
            let sample: Int16 = index / 48 % 2 == 0 ? 10_000 : -10_000
            return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
        try file.append(bytes)
        try file.finish()
    }

    private func audibleCount(_ samples: [Int16]) -> Int { samples.count { abs($0) >= Self.audible } }
}
