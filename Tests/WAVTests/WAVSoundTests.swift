import Foundation
import Testing
import WAV

@Suite struct WAVSoundTests {
    private let path = NSTemporaryDirectory() + "/wav-sound-\(UInt64.random(in: 0 ... .max)).wav"

    /// A file of one part "fmt " and one part "data", with what precedes them.
    private func file(
        kind: Int = 1,
        channels: Int = 1,
        rate: Int = 48_000,
        bits: Int = 16,
        before: [UInt8] = [],
        size: Int? = nil,
        _ samples: [UInt8]
    ) -> [UInt8] {
        let frame = channels * bits / 8
        return Array("RIFF".utf8) + bytes(0, 4) + Array("WAVE".utf8) + before + Array("fmt ".utf8)
            + bytes(16, 4) + bytes(kind, 2) + bytes(channels, 2) + bytes(rate, 4) + bytes(rate * frame, 4)
            + bytes(frame, 2) + bytes(bits, 2) + Array("data".utf8) + bytes(size ?? samples.count, 4)
            + samples
    }

    private func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private func read(_ bytes: [UInt8]) throws -> WAVSound {
        defer { unlink(path) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try WAVSound(reading: path, longest: .seconds(2))
    }

    private func reason(_ bytes: [UInt8]) -> String {
        do {
            _ = try read(bytes)
            return "none"
        } catch {
            #expect("\(error)".hasPrefix(path))
            return "\(error)"
        }
    }

    @Test(arguments: [
        (1, 8, [128 + 64], 0.5), (1, 16, [0, 0x40], 0.5), (1, 24, [0, 0, 0xC0], -0.5),
        (1, 32, [0, 0, 0, 0x40], 0.5), (3, 32, [0, 0, 0, 0xBF], -0.5),
    ])
    func `samples of all widths are read`(kind: Int, bits: Int, sample: [UInt8], value: Double) throws {
        let sound = try read(file(kind: kind, bits: bits, sample + sample))
        #expect(sound.mono(rate: 48_000) == [Int16](repeating: Int16((value * 32_767).rounded()), count: 2))
    }

    @Test func `channels are mixed, and other parts of the file skipped`() throws {
        let note = Array("LIST".utf8) + bytes(3, 4) + [1, 2, 3, 0]
        let sound = try read(file(channels: 2, before: note, bytes(1000, 2) + bytes(3000, 2)))
        #expect(sound.mono(rate: 48_000) == [2000])
    }

    @Test(arguments: [8000, 11_025, 44_100, 96_000])
    func `a sound of any rate keeps its pitch, length and level`(rate: Int) throws {
        let samples = (0..<rate / 2).map { Int(10_000 * sin(Double($0) * 440 * 2 * .pi / Double(rate))) }
        let sound = try read(file(rate: rate, samples.flatMap { bytes($0, 2) })).mono(rate: 48_000)
        // Half a second, to the sample before the conversion.
        #expect(abs(sound.count - 24_000) <= 48_000 / rate + 1)
        let middle = sound[4800..<19_200]
        let upward = zip(middle, middle.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect((131...133).contains(upward))
        #expect((9900...10_100).contains(middle.max() ?? 0))
    }

    @Test func `a sound above half of the new rate is removed, and not heard at another pitch`() throws {
        let samples = (0..<48_000).map { Int(10_000 * sin(Double($0) * 30_000 * 2 * .pi / 96_000)) }
        let sound = try read(file(rate: 96_000, samples.flatMap { bytes($0, 2) })).mono(rate: 48_000)
        #expect((sound[1000..<23_000].max() ?? 0) < 100)
    }

    @Test func `what is not a sound, or too long, is refused with the reason`() throws {
        #expect(reason([]).contains("not a WAV file"))
        #expect(reason(Array("ID3 some music".utf8) + bytes(0, 40)).contains("not a WAV file"))
        #expect(reason(file([])).contains("no samples"))
        #expect(reason(Array(file([1, 2]).prefix(30))).contains("incomplete"))
        #expect(reason(Array(file([1, 2]).prefix(36))).contains("no samples"))
        #expect(reason(file(kind: 85, [1, 2])).contains("neither PCM"))
        #expect(reason(file(rate: 0, [1, 2])).contains("0 samples per second"))
        #expect(reason(file(channels: 0, [1, 2])).contains("0 channels"))
        #expect(reason(file(channels: 200, bytes(0, 400))).contains("200 channels"))
        #expect(reason(file(rate: 8000, bytes(0, 32_002))).contains("more than 2"))
    }

    @Test func `an hour is refused without being read`() throws {
        defer { unlink(path) }
        try Data(file(size: 3600 * 96_000, [])).write(to: URL(fileURLWithPath: path))
        // A file with a hole: as long as an hour, and nothing on disk.
        #expect(truncate(path, 44 + 3600 * 96_000) == 0)
        #expect(throws: WAVError.self) { try WAVSound(reading: path, longest: .seconds(2)) }
    }

    @Test func `a size that the writer did not know is that of the file`() throws {
        #expect(try read(file(size: 0xFFFF_FFFF, bytes(5, 2) + bytes(6, 2))).mono(rate: 48_000) == [5, 6])
    }

    @Test func `a directory, a pipe and nothing are no files`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        for path in [path, "/tmp", "/nowhere/tone.wav", "/dev/zero"] {
            #expect(throws: WAVError.self) { try WAVSound(reading: path, longest: .seconds(2)) }
        }
    }
}
