import CoreConfiguration
import Foundation
import PTTCore
import TOML
import TestSupport
import Testing

@testable import pttd

/// How the tones sound, as values.
@Suite struct ToneSignalTests {
    /// In milliseconds.
    private func length(_ tone: Tone) -> Int { ToneSignal(tone).samples.count * 1000 / ToneSignal.rate }

    /// The energy at one pitch, as a part of all (Goertzel's algorithm).
    private func energy(_ samples: ArraySlice<Int16>, at hertz: Double) -> Double {
        let coefficient = 2 * cos(2 * .pi * hertz / Double(ToneSignal.rate))
        var (first, second) = (0.0, 0.0)
        for sample in samples { (first, second) = (Double(sample) + coefficient * first - second, first) }
        let power = first * first + second * second - coefficient * first * second
        let all = samples.reduce(0) { $0 + Double($1) * Double($1) }
        return 2 * power / (all * Double(samples.count))
    }

    @Test func `tones are short, the one that a person waits for shortest`() {
        for tone in Tone.allCases { #expect((60...350).contains(length(tone)), "\(tone)") }
        #expect(length(.talkPermit) <= 80)
        #expect(Tone.allCases.allSatisfy { length($0) >= length(.talkPermit) })
        // Speech is silenced for its length.
        #expect(length(.timeLimitNear) <= 100)
    }

    @Test(arguments: Tone.allCases)
    func `the level is fixed, and the beginning and end of each note are soft`(tone: Tone) {
        let samples = ToneSignal(tone).samples.map(Int.init)
        let peak = samples.map(abs).max() ?? 0
        #expect(peak <= Int(ToneSignal.peak) && peak > Int(ToneSignal.peak * 0.97))
        #expect(samples.first == 0 && abs(samples.last ?? 0) < 20)
        // The steepest slope of the highest note, and no step beyond it: a click.
        let highest = ToneSignal(tone).parts.compactMap(\.pitch).max() ?? 0
        let slope = ToneSignal.peak * 2 * .pi * highest / Double(ToneSignal.rate)
        #expect(zip(samples, samples.dropFirst()).allSatisfy { Double(abs($1 - $0)) <= slope * 1.02 + 1 })
    }

    @Test(arguments: Tone.allCases)
    func `each note has the energy at its pitch, and none where clicks have theirs`(tone: Tone) {
        var samples = ToneSignal(tone).samples[...]
        for part in ToneSignal(tone).parts {
            let count = part.milliseconds * ToneSignal.rate / 1000
            let note = samples.prefix(count)
            samples = samples.dropFirst(count)
            guard let pitch = part.pitch else {
                #expect(note.allSatisfy { $0 == 0 })
                continue
            }
            #expect(energy(note, at: pitch) > 0.8, "\(pitch)")
            for far in [pitch * 4, 8000, 15_000] { #expect(energy(note, at: far) < 0.001, "\(far)") }
        }
    }

    @Test func `no tone is like another, wherever they overlap`() {
        let tones = Tone.allCases
        for (index, one) in tones.enumerated() {
            for other in tones[(index + 1)...] {
                #expect(ToneSignal(one).parts != ToneSignal(other).parts)
                // Eight kilohertz suffice for these pitches.
                let (left, right) = (thinned(one), thinned(other))
                let likeness = correlations(left, right, shifts: -left.count..<right.count).map(abs)
                #expect((likeness.max() ?? 1) < 0.5, "\(one) and \(other)")
            }
        }
    }

    /// Every sixth sample.
    private func thinned(_ tone: Tone) -> [Int16] {
        let samples = ToneSignal(tone).samples
        return stride(from: 0, to: samples.count, by: 6).map { samples[$0] }
    }
}

extension ToneSignal.Part {
    fileprivate var pitch: Double? {
        if case .note(let hertz, _) = self { hertz } else { nil }
    }

    fileprivate var milliseconds: Int {
        switch self {
        case .note(_, let milliseconds), .pause(let milliseconds): milliseconds
        }
    }
}

/// The configured tones.
@Suite struct ToneSoundsTests {
    private func sounds(_ text: String, failures: Int = 0) throws -> ToneSounds {
        let configuration = try TOML.decode(Configuration.self, from: text)
        var seen: [String] = []
        let sounds = ToneSounds(configuration.tones) { seen.append($0) }
        #expect(seen.count == failures, "\(seen)")
        return sounds
    }

    @Test func `without a configuration all our tones are played`() throws {
        let sounds = try sounds("time-limit = 3")
        for tone in Tone.allCases { #expect(sounds[tone] == ToneSignal(tone).samples) }
        #expect(sounds.gate == .auto && sounds.areAudible)
    }

    @Test func `all tones or one can be silenced`() throws {
        #expect(try !sounds("[tones]\nenabled = false").areAudible)
        let one = try sounds("[tones]\ntime-limit-near = \"\"")
        #expect(one[.timeLimitNear].isEmpty && !one[.talkPermit].isEmpty)
    }

    @Test func `a file replaces a tone, and one that cannot be used does not`() throws {
        let path = NSTemporaryDirectory() + "/tone-\(UInt64.random(in: 0 ... .max)).wav"
        defer { unlink(path) }
        let header = Array("RIFF\0\0\0\0WAVEfmt \u{10}\0\0\0".utf8) + [1, 0, 1, 0, 0x80, 0xBB, 0, 0]
        let rest = [0, 0x77, 1, 0, 2, 0, 16, 0] + Array("data".utf8) + [4, 0, 0, 0, 0, 0x40, 0, 0x40]
        try Data(header + rest).write(to: URL(fileURLWithPath: path))
        let sounds = try sounds("[tones]\nend = \"\(path)\"\ndenied = \"/tmp\"\ngate = \"off\"", failures: 1)
        #expect(sounds[.end] == [16_384, 16_384])
        #expect(sounds[.denied] == ToneSignal(.denied).samples)
        #expect(sounds.gate == .off)
    }

    @Test func `an unknown tone is an error that names it`() {
        #expect { try TOML.decode(Configuration.self, from: "[tones]\nstart = \"/x.wav\"") } throws: {
            "\($0)".contains("line 2") && "\($0)".contains("start")
        }
    }

    @Test func `the configuration names one microphone or several`() throws {
        func names(_ text: String) throws -> [String]? {
            try TOML.decode(Configuration.self, from: text).microphone?.names
        }
        #expect(try names("microphone = \"usb\"") == ["usb"])
        #expect(try names("microphone = [\"Desk\", \"usb\"]") == ["Desk", "usb"])
        #expect(try names("") == nil)
        for wrong in ["3", "{ name = \"usb\" }", "[3]"] {
            #expect(throws: TOMLError.self) { try names("microphone = \(wrong)") }
        }
    }
}

@Suite struct GainTests {
    private func scaled(_ samples: [Int16], _ percent: Int) -> [Int16] {
        var result: [Int16] = []
        samples.withUnsafeBytes { Gain(percent: percent).apply(to: $0, into: &result) }
        return result
    }

    @Test func `the volume has the scale of volume controls, and never overflows`() {
        #expect(scaled([8000, -8000, 3], 50) == [1000, -1000, 0])
        #expect(scaled([8000, -8000], 0) == [0, 0])
        #expect(scaled([100, 20_000, -20_000], 150) == [337, 32_767, -32_768])
        #expect(scaled([8000], 100) == [8000])
    }
}
